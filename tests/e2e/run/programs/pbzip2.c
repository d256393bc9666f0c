// expect: destroy-in-use:predicted use-after-free:predicted
// Pbzip2: main deletes the queue and destroys its mutex while a consumer may still be using both.
#include "turns.h"
struct queue { pthread_mutex_t mutex; int count; };
static struct queue *queue;
MUTEX(progress);
static void *consumer(void *a) { LOCK(queue->mutex); queue->count--; UNLOCK(queue->mutex); LOCK(progress); UNLOCK(progress); done(1); return a; }
int main(void)
{
	pthread_t t;
	queue = calloc(1, sizeof(*queue));
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_create(&t, NULL, consumer, NULL);
	turn(1);
	LOCK(progress);
	UNLOCK(progress);
	pthread_mutex_destroy(&queue->mutex);
	free(queue);
	pthread_join(t, NULL);
	return 0;
}
