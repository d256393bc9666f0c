// A block is read after another thread freed it.
// EXPECT record: status 1, kind use-after-free
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct message { int length; char text[60]; } *current;
static char copy[64];
static int seen;

static void *consume(void *unused)
{
	seen += current->length;	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	current = calloc(1, sizeof(*current));
	pthread_create(&t, NULL, consume, NULL);
	free(current);	// PLACE
	pthread_join(t, NULL);
	return seen + copy[0];
}
