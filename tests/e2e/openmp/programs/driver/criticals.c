#include <omp.h>
#include <stdio.h>
static int a, b;
static void first(void)
{
#pragma omp critical(left)
	{
		a++;
#pragma omp critical(right)
		b++;
	}
}
static void second(void)
{
#pragma omp critical(right)
	{
		b++;
#pragma omp critical(left)
		a++;
	}
}
int main(void)
{
	omp_set_num_threads(2);
#pragma omp parallel
	{
#pragma omp sections
		{
#pragma omp section
			first();
#pragma omp section
			second();
		}
	}
	printf("%d %d\n", a, b);
	return 0;
}
