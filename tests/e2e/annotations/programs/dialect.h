/*
 * One spin lock, annotated in the dialect that DIALECT names: HEDDLE, TSAN or DYNAMIC.
 */
#include <stdatomic.h>

#define HEDDLE 1
#define TSAN 2
#define DYNAMIC 3

#if DIALECT == HEDDLE
#include "heddle/annotations.h"
#define ASK(l) heddle_lock_request(l)
#define GOT(l) heddle_lock_acquired(l)
#define GIVE(l) heddle_lock_release(l)
#define GAVE(l) (void)0
#define BEFORE(o) heddle_happens_before(o)
#define AFTER(o) heddle_happens_after(o)
#elif DIALECT == TSAN
#include <sanitizer/tsan_interface.h>
#define ASK(l) __tsan_mutex_pre_lock(l, 0)
#define GOT(l) __tsan_mutex_post_lock(l, 0, 0)
#define GIVE(l) __tsan_mutex_pre_unlock(l, 0)
#define GAVE(l) __tsan_mutex_post_unlock(l, 0)
#define BEFORE(o) __tsan_release(o)
#define AFTER(o) __tsan_acquire(o)
#elif DIALECT == DYNAMIC
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long is_writer);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_writer);
void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
#define ASK(l) (void)0
#define GOT(l) AnnotateRWLockAcquired(__FILE__, __LINE__, l, 1)
#define GIVE(l) AnnotateRWLockReleased(__FILE__, __LINE__, l, 1)
#define GAVE(l) (void)0
#define BEFORE(o) AnnotateHappensBefore(__FILE__, __LINE__, o)
#define AFTER(o) AnnotateHappensAfter(__FILE__, __LINE__, o)
#endif

struct spin {
	atomic_int taken;
};

static inline void spin_lock(struct spin *l)
{
	ASK(l);
	while (atomic_exchange(&l->taken, 1))
		;
	GOT(l);
}

static inline void spin_unlock(struct spin *l)
{
	GIVE(l);
	atomic_store(&l->taken, 0);
	GAVE(l);
}
