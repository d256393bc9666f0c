/* Critical sections, atomic operations, locks, nested locks. */
#include <complex.h>
#include <omp.h>
#include <stdio.h>

#define ROUNDS 20
static omp_lock_t lock;
static omp_nest_lock_t nest;
static int under_lock, under_nest, plain, named, tried;
static long double wide;

static void deeper(int depth)
{
	omp_set_nest_lock(&nest);
	under_nest++;
	if (depth)
		deeper(depth - 1);
	omp_unset_nest_lock(&nest);
}

int main(void)
{
	omp_lock_t many[8];
	int counts[8] = { 0 }, total = 0;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	for (int i = 0; i < 8; i++)
		omp_init_lock(&many[i]);
#pragma omp parallel num_threads(3)
	for (int i = 0; i < ROUNDS; i++) {
		omp_set_lock(&lock);
		under_lock++;
		omp_unset_lock(&lock);
		deeper(2);
#pragma omp critical
		plain++;
#pragma omp critical(name)
		named++;
#pragma omp atomic
		wide += 0.5L;
		omp_set_lock(&many[i % 8]);
		counts[i % 8]++;
		omp_unset_lock(&many[i % 8]);
		if (omp_test_lock(&lock)) {
			tried++;
			omp_unset_lock(&lock);
		}
	}
	for (int i = 0; i < 8; i++) {
		total += counts[i];
		omp_destroy_lock(&many[i]);
	}
	printf("%d %d %d %d %.1Lf %d %d\n", under_lock, under_nest, plain, named, wide, total, tried > 0);
	printf("nest %d %d", omp_test_nest_lock(&nest), omp_test_nest_lock(&nest));
	omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	puts("");
	return 0;
}
