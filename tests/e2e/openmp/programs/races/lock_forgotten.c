/* A lock that one side does not take. */
#include <omp.h>

static omp_lock_t lock;
static int n;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
#ifndef RIGHT
		if (omp_get_thread_num())
			n++;
		else
#endif
		{
			omp_set_lock(&lock);
			n++;
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	return n > 2;
}
