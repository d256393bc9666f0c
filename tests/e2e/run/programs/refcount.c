// expect:
// Counted references, right: the thread that drops the last one destroys and frees.
#include "turns.h"
struct object { pthread_mutex_t mutex; int refs, data; };
static void *user(void *a)
{
	struct object *o = a;
	pthread_mutex_lock(&o->mutex);
	o->data++;
	int left = --o->refs;
	pthread_mutex_unlock(&o->mutex);
	if (!left) {
		pthread_mutex_destroy(&o->mutex);
		free(o);
	}
	return NULL;
}
int main(void)
{
	for (int i = 0; i < 200; i++) {
		pthread_t t[3];
		struct object *o = calloc(1, sizeof(*o));
		pthread_mutex_init(&o->mutex, NULL);
		o->refs = 3;
		for (int k = 0; k < 3; k++)
			pthread_create(&t[k], NULL, user, o);
		for (int k = 0; k < 3; k++)
			pthread_join(t[k], NULL);
	}
	return 0;
}
