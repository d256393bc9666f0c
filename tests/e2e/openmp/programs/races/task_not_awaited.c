/* What a task writes is read before the task is waited for. */
int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		x = 1;
#ifdef RIGHT
#pragma omp taskwait
#endif
		y = x;
	}
	return y > 1;
}
