/* Regions: nested ones, copies of variables, threadprivate, single, sections, master, barriers. */
#include <omp.h>
#include <stdio.h>

static int mine;
#pragma omp threadprivate(mine)

static void nested(void)
{
	int seen[2][2] = { { 0 } }, levels = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		{
			seen[outer][omp_get_thread_num()] = omp_get_ancestor_thread_num(1) + 1;
#pragma omp atomic
			levels += omp_get_level() * 10 + omp_get_team_size(1);
		}
	}
	printf("nested %d %d %d %d %d\n", seen[0][0], seen[0][1], seen[1][0], seen[1][1], levels);
	omp_set_max_active_levels(1);
	int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
	{
#pragma omp parallel num_threads(5) reduction(+ : threads)
		threads += omp_get_num_threads() * 100 + omp_get_active_level();
	}
	printf("serialised %d\n", threads);
}

static void copies(void)
{
	int a = 3, sum = 0, product = 1, least = 100, got[4];
	mine = 7;
#pragma omp parallel num_threads(4) firstprivate(a) copyin(mine) reduction(+ : sum) \
	reduction(* : product) reduction(min : least)
	{
		a += omp_get_thread_num();
		mine += a;
		sum += a;
		product *= a;
		least = a < least ? a : least;
	}
#pragma omp parallel num_threads(4)
	got[omp_get_thread_num()] = mine;
	printf("copies %d %d %d %d: %d %d %d %d\n", a, sum, product, least, got[0], got[1], got[2],
	       got[3]);
	int shared_out = 0;
#pragma omp parallel num_threads(3) private(a)
	{
#pragma omp single copyprivate(a)
		a = 42;
#pragma omp atomic
		shared_out += a;
	}
	printf("copyprivate %d\n", shared_out);
}

static void sections(void)
{
	int a = 0, b = 0, c = 0, times = 0, last = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp sections lastprivate(last)
		{
#pragma omp section
			{
				a = 1;
				last = 1;
			}
#pragma omp section
			{
				b = 2;
				last = 2;
			}
#pragma omp section
			{
				c = 3;
				last = 3;
			}
		}
#pragma omp single nowait
		times++;
#pragma omp barrier
#pragma omp master
		times += 10;
	}
#pragma omp parallel sections num_threads(2) reduction(+ : times)
	{
		times += 100;
#pragma omp section
		times += 1000;
	}
	printf("sections %d %d %d last %d times %d\n", a, b, c, last, times);
}

/* More constructs without a barrier between them than one piece of the library's table holds. */
static void many_without_barrier(void)
{
	int taken[40] = { 0 }, wrong = 0;
#pragma omp parallel num_threads(3)
	for (int i = 0; i < 40; i++) {
#pragma omp single nowait
		{
#pragma omp atomic
			taken[i]++;
		}
	}
	for (int i = 0; i < 40; i++)
		wrong += taken[i] != 1;
	printf("many %d\n", wrong);
}

int main(void)
{
	int threads = 0;
	nested();
	copies();
	sections();
	many_without_barrier();
	for (int n = 1; n <= 6; n++) {
		omp_set_num_threads(n);
#pragma omp parallel
		{
#pragma omp atomic
			threads += omp_get_num_threads() == omp_get_max_threads();
		}
	}
#pragma omp parallel if (threads < 0)
	threads += omp_get_num_threads() + omp_in_parallel();
	/* Orphaned constructs outside of a region. */
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 5; i++)
		threads++;
#pragma omp single
	threads++;
#pragma omp barrier
	printf("threads %d level %d\n", threads, omp_get_level());
	return 0;
}
