// The block is freed after the join.
// EXPECT record: status 0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct message { int length; char text[60]; } *current;
static char copy[64];
static int seen;

static void *consume(void *unused)
{
	current->text[0] = 1;
	return unused;
}

int main(void)
{
	pthread_t t;
	current = calloc(1, sizeof(*current));
	pthread_create(&t, NULL, consume, NULL);
	pthread_join(t, NULL);
	free(current);
	return seen + copy[0];
}
