// Each joins the one created before it.
// EXPECT record: status 0
#include <pthread.h>

static pthread_t first, second;

static void *leaf(void *unused)
{
	return unused;
}

static void *join_first(void *unused)
{
	pthread_join(first, NULL);
	return unused;
}

int main(void)
{
	pthread_create(&first, NULL, leaf, NULL);
	pthread_create(&second, NULL, join_first, NULL);
	pthread_join(second, NULL);
	return 0;
}
