/* SPDX-License-Identifier: Apache-2.0 */
// Threads that poll: they look again and again, under a lock or with a sleep in between; -DPOLL chooses how.
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LOCK 1		/* lock, look, unlock */
#define SPIN 2		/* the same with a spin lock */
#define NESTED 3	/* one lock inside another */
#define OUTER 4		/* while another lock is held all the time */
#define TRIED 5		/* another thread tries the lock twice: it may be found taken each time */
#define TIMED 6		/* another thread waits for the lock with a deadline */
#define RESULT 7	/* what the poller sees when it comes back is one of several values */
#define NOBODY 8	/* nobody ends it */
#define SLEEPS 9
#define NANOSLEEPS 10
#define TWO 11		/* two flags, which are seen set in one order only */
#define CANCELLED 12	/* the only way out is to be cancelled */
#define CLOCK 13	/* sleeps, and looks at a clock at the end: how long it slept is not known */
#define PATTERN 14	/* another thread tries for as long as the lock is taken, free, taken, free ... */
#define READ_LOCK 15	/* a read-write lock, for reading */
#define WRITE_LOCK 16	/* and for writing */
#define READ_TRIED 17	/* another thread tries to write, for as long as the pattern of PATTERN lasts */
#define TRIES 18	/* looks if it gets the lock by a try */
#define TRIES_READ 19	/* likewise for reading */
#define TRIES_SPIN 20
#define TRIES_SLEEPS 21	/* sleeps after each round */
#define TRIES_COUNT 22	/* counts, up to two, how often it did not get it */
#define TRIES_ANSWERS 23 /* says so if it does not get it; another thread takes it until that is said */
#define TRIES_LEFT 24	/* main ends while it sleeps and tries */
#define WRITERS_FIRST 25 /* a lock whose readers notice that somebody waits: the loop is not recognised */
#define POLL_SLEEPS 26	/* sleeps by a poll() of nothing */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
#if POLL == READ_LOCK || POLL == WRITE_LOCK || POLL == READ_TRIED || POLL == TRIES_READ || POLL == WRITERS_FIRST
#define TAKE() pthread_rwlock_wrlock(&rw)
#define TRY() pthread_rwlock_trywrlock(&rw)
#define GIVE() pthread_rwlock_unlock(&rw)
#elif POLL == SPIN || POLL == TRIES_SPIN
#define TAKE() pthread_spin_lock(&spin)
#define TRY() pthread_spin_trylock(&spin)
#define GIVE() pthread_spin_unlock(&spin)
#else
#define TAKE() pthread_mutex_lock(&m)
#define TRY() pthread_mutex_trylock(&m)
#define GIVE() pthread_mutex_unlock(&m)
#endif
static volatile int done;	/* one that nobody sets is read, too */
static int tried[2];
static atomic_int flag, second;

static int look(void)
{
	int d = 0;
#if POLL == READ_LOCK || POLL == READ_TRIED || POLL == WRITERS_FIRST
	pthread_rwlock_rdlock(&rw);
	d = done;
	pthread_rwlock_unlock(&rw);
#elif POLL == TRIES_READ
	if (!pthread_rwlock_tryrdlock(&rw)) {
		d = done;
		pthread_rwlock_unlock(&rw);
	}
#elif POLL == TRIES || POLL == TRIES_SPIN || POLL == TRIES_COUNT || POLL == TRIES_SLEEPS || \
	POLL == TRIES_ANSWERS || POLL == TRIES_LEFT
	if (!TRY()) {
		d = done;
		GIVE();
	} else if (POLL == TRIES_COUNT && tried[0] < 2) {
		tried[0]++;
	} else if (POLL == TRIES_ANSWERS) {
		flag = 1;
	}
	if (POLL == TRIES_SLEEPS || POLL == TRIES_LEFT)
		usleep(10);
#elif POLL == NESTED
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&inner);
	d = done;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&m);
#elif POLL == SLEEPS || POLL == CLOCK
	d = flag;
	if (!d)
		usleep(10);
#elif POLL == NANOSLEEPS
	d = flag;
	nanosleep(&(struct timespec){ 0, 1000 }, NULL);
#elif POLL == POLL_SLEEPS
	d = flag;
	poll(NULL, 0, 1);
#elif POLL == TWO
	d = flag && second;
	if (!d)
		usleep(10);
#elif POLL == CANCELLED
	pthread_testcancel();
	d = flag;
#else
	TAKE();
	d = done;
	GIVE();
#endif
	return d;
}

static void *poll_it(void *unused)
{
	int d;
#if POLL == OUTER
	pthread_mutex_lock(&inner);
#endif
	while (!(d = look()))
		;
#if POLL == OUTER
	pthread_mutex_unlock(&inner);
#elif POLL == RESULT
	printf("%d\n", d);
#elif POLL == CLOCK
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("looked\n");
#endif
	return unused;
}

static void set(int value)
{
	TAKE();
#if POLL == NESTED
	pthread_mutex_lock(&inner);
#endif
	done = value;
#if POLL == NESTED
	pthread_mutex_unlock(&inner);
#endif
	GIVE();
}

static int is_taken(void)
{
	if (TRY())
		return 1;
	GIVE();
	return 0;
}

static void *act(void *unused)
{
#if POLL == TRIED
	for (int i = 0; i < 2; i++)
		tried[i] = is_taken();
#elif POLL == PATTERN || POLL == READ_TRIED
	for (int wanted = 1; tried[0] < 6 && is_taken() == wanted; wanted = !wanted)
		tried[0]++;
#elif POLL == TIMED
	tried[0] = pthread_mutex_timedlock(&m, &(struct timespec){ 4000000000, 0 }) != 0;
	if (!tried[0])
		pthread_mutex_unlock(&m);
#endif
#if POLL == TRIES_ANSWERS
	pthread_mutex_lock(&m);
	while (!flag)
		;
	done = 1;
	pthread_mutex_unlock(&m);
#elif POLL == RESULT
	set(1);
	set(2);
	set(0);
	set(3);
#elif POLL == NOBODY || POLL == TRIES_LEFT
	set(0);
#elif POLL != CANCELLED
	set(1);
	second = 1;
	flag = 1;
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_spin_init(&spin, 0);
#if POLL == WRITERS_FIRST
	pthread_rwlockattr_t kind;
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw, &kind);
#endif
	pthread_create(&a, NULL, poll_it, NULL);
	pthread_create(&b, NULL, act, NULL);
#if POLL == CANCELLED
	pthread_cancel(a);
#endif
#if POLL != TRIES_LEFT
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#endif
	printf("%d%d\n", tried[0], tried[1]);
	return 0;
}
