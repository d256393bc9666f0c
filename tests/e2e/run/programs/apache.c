// expect: race:observed
// Apache's mod_mem_cache: the count of references goes down under the lock, and is asked outside of it.
#include "turns.h"
MUTEX(m);
struct object { volatile int refs; };
static struct object *object;
static void *request(void *a)
{
	if (a)
		turn(1);
	LOCK(m);
	object->refs--;
	UNLOCK(m);
	int is_last = object->refs == 0;
	if (!a)
		done(1);
	return is_last && a ? object : NULL;
}
static void *second(void *a) { (void)a; return request(&object); }
int main(void) { object = calloc(1, sizeof(*object)); object->refs = 2; both(request, second); free(object); return 0; }
