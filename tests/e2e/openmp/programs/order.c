/* Ordered regions, and iterations that wait for others. */
#include <omp.h>
#include <stdio.h>

#define N 12
static int grid[N][N];

static void ordered(void)
{
	printf("ordered");
#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			printf(" %d", i);
		}
#pragma omp for ordered schedule(static, 2)
		for (int i = N; i > 0; i--) {
			if (i % 3 == 0) {
#pragma omp ordered
				printf(" %d", i);
			}
		}
#pragma omp for ordered schedule(guided)
		for (unsigned long long i = 0; i < N; i++) {
#pragma omp ordered
			printf(" %llu", i);
		}
#pragma omp for ordered schedule(runtime)
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			printf(" %d", i);
		}
	}
	puts("");
}

static void across(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			grid[i][j] = 1;
#pragma omp parallel for ordered(2) schedule(dynamic) num_threads(3)
	for (int i = 1; i < N; i++)
		for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
		}
	int chain = 0;
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
	for (unsigned long long i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
		chain = chain * 3 % 1009 + (int)i;
#pragma omp ordered depend(source)
	}
	printf("across %d %d\n", grid[N - 1][N - 1], chain);
}

int main(void)
{
	ordered();
	across();
	return 0;
}
