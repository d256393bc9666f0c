/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations for programs that heddle runs: locks and orderings that are made of atomics, so
 * that reports, deadlock detection and analyses know them as what they are.  doc/ANNOTATIONS.md
 * explains them.
 *
 *   void my_lock(struct my_lock *l)                       void my_unlock(struct my_lock *l)
 *   {                                                     {
 *           heddle_lock_request(l);                               heddle_lock_release(l);
 *           while (atomic_exchange(&l->taken, 1))                 atomic_store(&l->taken, 0);
 *                   ;                                     }
 *           heddle_lock_acquired(l);
 *   }
 *
 * In a program that is built without heddle they do nothing: the functions are weak references,
 * tested before each call.  They need nothing but this file.
 */
#ifndef HEDDLE_ANNOTATIONS_H
#define HEDDLE_ANNOTATIONS_H

#if defined(__GNUC__) && defined(__ELF__)

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ANNOTATION_ __attribute__((weak)) extern void

/* The lock begins and ends; only needed where its memory is used again without being freed in
 * between. */
HEDDLE_ANNOTATION_ heddle_lock_create(const volatile void *lock);
HEDDLE_ANNOTATION_ heddle_lock_destroy(const volatile void *lock);

/* The thread will not go on before it has the lock.  Not for attempts that may be given up. */
HEDDLE_ANNOTATION_ heddle_lock_request(const volatile void *lock);
HEDDLE_ANNOTATION_ heddle_lock_request_shared(const volatile void *lock);

/* The thread has the lock: directly after it got it. */
HEDDLE_ANNOTATION_ heddle_lock_acquired(const volatile void *lock);
HEDDLE_ANNOTATION_ heddle_lock_acquired_shared(const volatile void *lock);

/* An attempt was given up, or failed. */
HEDDLE_ANNOTATION_ heddle_lock_failed(const volatile void *lock);

/* The thread gives the lock back: directly before it does. */
HEDDLE_ANNOTATION_ heddle_lock_release(const volatile void *lock);
HEDDLE_ANNOTATION_ heddle_lock_release_shared(const volatile void *lock);

/* What a thread did before the first happens before what another one does after the second, of
 * the same object. */
HEDDLE_ANNOTATION_ heddle_happens_before(const volatile void *object);
HEDDLE_ANNOTATION_ heddle_happens_after(const volatile void *object);

#undef HEDDLE_ANNOTATION_

#ifdef __cplusplus
}
#endif

#define heddle_lock_create(l) (heddle_lock_create ? heddle_lock_create(l) : (void)0)
#define heddle_lock_destroy(l) (heddle_lock_destroy ? heddle_lock_destroy(l) : (void)0)
#define heddle_lock_request(l) (heddle_lock_request ? heddle_lock_request(l) : (void)0)
#define heddle_lock_request_shared(l) \
	(heddle_lock_request_shared ? heddle_lock_request_shared(l) : (void)0)
#define heddle_lock_acquired(l) (heddle_lock_acquired ? heddle_lock_acquired(l) : (void)0)
#define heddle_lock_acquired_shared(l) \
	(heddle_lock_acquired_shared ? heddle_lock_acquired_shared(l) : (void)0)
#define heddle_lock_failed(l) (heddle_lock_failed ? heddle_lock_failed(l) : (void)0)
#define heddle_lock_release(l) (heddle_lock_release ? heddle_lock_release(l) : (void)0)
#define heddle_lock_release_shared(l) \
	(heddle_lock_release_shared ? heddle_lock_release_shared(l) : (void)0)
#define heddle_happens_before(o) (heddle_happens_before ? heddle_happens_before(o) : (void)0)
#define heddle_happens_after(o) (heddle_happens_after ? heddle_happens_after(o) : (void)0)

#else

#define heddle_lock_create(l) ((void)(l))
#define heddle_lock_destroy(l) ((void)(l))
#define heddle_lock_request(l) ((void)(l))
#define heddle_lock_request_shared(l) ((void)(l))
#define heddle_lock_acquired(l) ((void)(l))
#define heddle_lock_acquired_shared(l) ((void)(l))
#define heddle_lock_failed(l) ((void)(l))
#define heddle_lock_release(l) ((void)(l))
#define heddle_lock_release_shared(l) ((void)(l))
#define heddle_happens_before(o) ((void)(o))
#define heddle_happens_after(o) ((void)(o))

#endif

#endif
