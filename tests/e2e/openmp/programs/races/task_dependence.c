/* A dependence that names another variable. */
int main(void)
{
	int x = 0, y = 0;
#ifdef RIGHT
#define READ x
#else
#define READ y
#endif
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 1;
#pragma omp task depend(in : READ) shared(x)
		x++;
	}
	return x > 2 || y;
}
