// Read-write locks: who excludes whom, error codes, preferences.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static pthread_rwlock_t of_kind(int kind)
{
	pthread_rwlockattr_t attr;
	pthread_rwlock_t l;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, kind);
	pthread_rwlock_init(&l, &attr);
	return l;
}

static void *try_read(void *l)
{
	long rc = pthread_rwlock_tryrdlock(l);
	if (!rc)
		pthread_rwlock_unlock(l);
	return (void *)rc;
}

static void *try_write(void *l)
{
	long rc = pthread_rwlock_trywrlock(l);
	if (!rc)
		pthread_rwlock_unlock(l);
	return (void *)rc;
}

CHECK(readers_share)
{
	EQUAL(pthread_rwlock_rdlock(&lock), 0);
	EQUAL(join(start(try_read, &lock)), 0);
	EQUAL(join(start(try_write, &lock)), EBUSY);
	EQUAL(pthread_rwlock_rdlock(&lock), 0);
	EQUAL(pthread_rwlock_tryrdlock(&lock), 0);
	EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(join(start(try_write, &lock)), EBUSY);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(join(start(try_write, &lock)), 0);
}

CHECK(writer_excludes)
{
	EQUAL(pthread_rwlock_wrlock(&lock), 0);
	EQUAL(join(start(try_read, &lock)), EBUSY);
	EQUAL(join(start(try_write, &lock)), EBUSY);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(join(start(try_read, &lock)), 0);
}

CHECK(writer_asks_again)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(pthread_rwlock_wrlock(&lock), 0);
	EQUAL(pthread_rwlock_wrlock(&lock), EDEADLK);
	EQUAL(pthread_rwlock_rdlock(&lock), EDEADLK);
	EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
	EQUAL(pthread_rwlock_tryrdlock(&lock), EBUSY);
	EQUAL(pthread_rwlock_timedwrlock(&lock, &soon), EDEADLK);
	EQUAL(pthread_rwlock_timedrdlock(&lock, &soon), EDEADLK);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
}

CHECK(reader_asks_to_write_in_time)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(pthread_rwlock_rdlock(&lock), 0);
	EQUAL(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	EQUAL(pthread_rwlock_unlock(&lock), 0);
}

static void *timed_read(void *when)
{
	return (void *)(long)pthread_rwlock_timedrdlock(&lock, when);
}

static void *timed_write(void *when)
{
	return (void *)(long)pthread_rwlock_timedwrlock(&lock, when);
}

static void *clock_read(void *when)
{
	return (void *)(long)pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, when);
}

static void *clock_write(void *when)
{
	return (void *)(long)pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, when);
}

CHECK(deadlines)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 10), steady = in_ms(CLOCK_MONOTONIC, 10);
	EQUAL(pthread_rwlock_wrlock(&lock), 0);
	EQUAL(join(start(timed_read, &soon)), ETIMEDOUT);
	EQUAL(join(start(timed_write, &soon)), ETIMEDOUT);
	EQUAL(join(start(clock_read, &steady)), ETIMEDOUT);
	EQUAL(join(start(clock_write, &steady)), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	TRUE(has_passed(CLOCK_MONOTONIC, &steady));
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(pthread_rwlock_timedrdlock(&lock, &soon), 0);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	EQUAL(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &soon), 0);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
}

CHECK(invalid_times_and_clocks)
{
	struct timespec bad = { .tv_sec = 1, .tv_nsec = -1 };
	EQUAL(pthread_rwlock_timedrdlock(&lock, &bad), EINVAL);
	EQUAL(pthread_rwlock_timedwrlock(&lock, &bad), EINVAL);
	bad.tv_nsec = 0;
	EQUAL(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &bad), EINVAL);
	EQUAL(pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &bad), EINVAL);
}

static atomic_int writer_waits, writer_passed;

static void *write_lock(void *l)
{
	atomic_store(&writer_waits, 1);
	pthread_rwlock_wrlock(l);
	atomic_store(&writer_passed, 1);
	pthread_rwlock_unlock(l);
	return NULL;
}

CHECK(writer_blocks_until_the_last_reader_leaves)
{
	EQUAL(pthread_rwlock_rdlock(&lock), 0);
	EQUAL(pthread_rwlock_rdlock(&lock), 0);
	pthread_t t = start(write_lock, &lock);
	await(&writer_waits, 1);
	settle();
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	settle();
	EQUAL(atomic_load(&writer_passed), 0);
	EQUAL(pthread_rwlock_unlock(&lock), 0);
	join(t);
	EQUAL(atomic_load(&writer_passed), 1);
}

CHECK(readers_pass_a_waiting_writer_if_preferred)
{
	static pthread_rwlock_t l;
	l = of_kind(PTHREAD_RWLOCK_PREFER_READER_NP);
	atomic_store(&writer_waits, 0);
	EQUAL(pthread_rwlock_rdlock(&l), 0);
	pthread_t t = start(write_lock, &l);
	await(&writer_waits, 1);
	settle();
	EQUAL(pthread_rwlock_rdlock(&l), 0);
	EQUAL(join(start(try_read, &l)), 0);
	EQUAL(pthread_rwlock_unlock(&l), 0);
	EQUAL(pthread_rwlock_unlock(&l), 0);
	join(t);
}

/* Only that the preferred writer stands in the way can be shown, not when it begins to. */
CHECK(readers_stand_back_for_a_preferred_writer)
{
	static pthread_rwlock_t l;
	l = of_kind(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	atomic_store(&writer_waits, 0);
	EQUAL(pthread_rwlock_rdlock(&l), 0);
	EQUAL(join(start(try_read, &l)), 0);
	pthread_t t = start(write_lock, &l);
	while ((long)join(start(try_read, &l)) == 0)
		usleep(100);
	EQUAL(join(start(try_read, &l)), EBUSY);
	EQUAL(pthread_rwlock_tryrdlock(&l), EBUSY);
	EQUAL(pthread_rwlock_unlock(&l), 0);
	join(t);
	EQUAL(join(start(try_read, &l)), 0);
}

static int value[2], torn, writes;

static void *write_pairs(void *unused)
{
	for (int i = 0; i < 10; i++) {
		pthread_rwlock_wrlock(&lock);
		value[0]++;
		value[1]++;
		writes++;
		pthread_rwlock_unlock(&lock);
	}
	return unused;
}

static void *read_pairs(void *unused)
{
	int bad = 0;
	for (int i = 0; i < 10; i++) {
		pthread_rwlock_rdlock(&lock);
		bad += value[0] != value[1];
		pthread_rwlock_unlock(&lock);
	}
	(void)unused;
	return (void *)(long)bad;
}

CHECK(readers_see_whole_writes)
{
	pthread_t t[4] = { start(write_pairs, NULL), start(read_pairs, NULL), start(read_pairs, NULL),
			   start(write_pairs, NULL) };
	for (int i = 0; i < 4; i++)
		torn += (long)join(t[i]) != 0;
	EQUAL(torn, 0);
	EQUAL(writes, 20);
}

CHECK(made_again)
{
	pthread_rwlock_t *l = malloc(sizeof(*l));
	EQUAL(pthread_rwlock_init(l, NULL), 0);
	EQUAL(pthread_rwlock_wrlock(l), 0);
	EQUAL(pthread_rwlock_unlock(l), 0);
	EQUAL(pthread_rwlock_destroy(l), 0);
	EQUAL(pthread_rwlock_init(l, NULL), 0);
	EQUAL(pthread_rwlock_rdlock(l), 0);
	EQUAL(pthread_rwlock_unlock(l), 0);
	EQUAL(pthread_rwlock_destroy(l), 0);
	free(l);
}
