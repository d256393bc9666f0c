/* nowait where the barrier is needed. */
static int a, b;
#ifdef RIGHT
#define NOWAIT
#else
#define NOWAIT nowait
#endif

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single NOWAIT
		a = 1;
#pragma omp single
		b = a;
	}
	return b > 1;
}
