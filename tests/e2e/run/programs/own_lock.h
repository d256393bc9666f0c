// A lock of the program's own, declared by the annotations of ThreadSanitizer.
#include <stdatomic.h>
void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_destroy(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags);
enum { FOR_READING = 1 << 3 };
static void own_lock(void *m, unsigned flags)
{
	__tsan_mutex_pre_lock(m, flags);
	__tsan_mutex_post_lock(m, flags, 0);
}
static void own_unlock(void *m, unsigned flags)
{
	__tsan_mutex_pre_unlock(m, flags);
	__tsan_mutex_post_unlock(m, flags);
}
