// A lost update makes an assertion fail.
// EXPECT record: status 1, kind assertion
#include <assert.h>
#include <pthread.h>

static int total;

static void *add(void *unused)
{
	total++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(total == 2);	// PLACE
	return 0;
}
