// expect: close-in-use:observed
// A descriptor is closed while another thread uses it.
// TSAN: data race
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int ends[2];
static void *work(void *a)
{
	return write(ends[1], "x", 1) == 1 ? a : 0;
}
int main(void)
{
	pthread_t t;
	if (pipe(ends))
		abort();
	pthread_create(&t, 0, work, 0);
	usleep(20000);
	close(ends[1]);
	pthread_join(t, 0);
	return 0;
}
