/* Cancellation, with OMP_CANCELLATION=true. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int reached = 0, late = 0, found = -1, sections = 0, ran = 0;
	printf("cancellation %d\n", omp_get_cancellation());
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
		}
#pragma omp atomic
		reached++;
#pragma omp barrier
		late++;
	}
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 1000; i++) {
			if (i == 5) {
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp atomic
				sections++;
#pragma omp cancel sections
			}
#pragma omp section
			{
#pragma omp cancellation point sections
			}
		}
	}
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	{
		for (int i = 0; i < 10; i++) {
#pragma omp task
			{
#pragma omp atomic
				ran++;
#pragma omp cancel taskgroup
			}
		}
	}
	int again = 0;
#pragma omp parallel num_threads(3) reduction(+ : again)
	{
#pragma omp barrier
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 9; i++)
			again++;
	}
	printf("reached %d late %d found %d sections %d ran %d again %d\n", reached <= 2, late, found,
	       sections <= 1, ran >= 1 && ran <= 10, again);
	return 0;
}
