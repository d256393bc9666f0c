// Spin locks and barriers.
#include "check.h"

static pthread_spinlock_t spin;
static int total;

static void *try_spin(void *unused)
{
	long rc = pthread_spin_trylock(&spin);
	(void)unused;
	if (!rc)
		pthread_spin_unlock(&spin);
	return (void *)rc;
}

CHECK(spin_excludes)
{
	EQUAL(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	EQUAL(pthread_spin_lock(&spin), 0);
	EQUAL(join(start(try_spin, NULL)), EBUSY);
	EQUAL(pthread_spin_trylock(&spin), EBUSY);
	EQUAL(pthread_spin_unlock(&spin), 0);
	EQUAL(join(start(try_spin, NULL)), 0);
}

static void *count(void *unused)
{
	for (int i = 0; i < 10; i++) {
		pthread_spin_lock(&spin);
		total++;
		pthread_spin_unlock(&spin);
	}
	return unused;
}

CHECK(spin_protects)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		t[i] = start(count, NULL);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	EQUAL(total, 30);
	EQUAL(pthread_spin_destroy(&spin), 0);
}

#define PARTIES 3
#define ROUNDS 4

static pthread_barrier_t barrier;
static atomic_int arrived[ROUNDS], early, serial[ROUNDS], odd;

static void *go_round(void *unused)
{
	for (int r = 0; r < ROUNDS; r++) {
		atomic_fetch_add(&arrived[r], 1);
		int rc = pthread_barrier_wait(&barrier);
		if (atomic_load(&arrived[r]) != PARTIES)
			atomic_fetch_add(&early, 1);
		if (rc == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(&serial[r], 1);
		else if (rc)
			atomic_fetch_add(&odd, 1);
	}
	return unused;
}

CHECK(barrier_of_none_is_invalid)
{
	EQUAL(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
}

CHECK(barrier_waits_for_all)
{
	pthread_t t[PARTIES];
	EQUAL(pthread_barrier_init(&barrier, NULL, PARTIES), 0);
	for (int i = 0; i < PARTIES; i++)
		t[i] = start(go_round, NULL);
	for (int i = 0; i < PARTIES; i++)
		join(t[i]);
	EQUAL(early, 0);
	EQUAL(odd, 0);
	for (int r = 0; r < ROUNDS; r++)
		EQUAL(serial[r], 1);
	EQUAL(pthread_barrier_destroy(&barrier), 0);
}

static void *arrive(void *b)
{
	return (void *)(long)pthread_barrier_wait(b);
}

CHECK(last_arriver_is_the_serial_one)
{
	static pthread_barrier_t b;
	EQUAL(pthread_barrier_init(&b, NULL, 2), 0);
	pthread_t t = start(arrive, &b);
	long mine = pthread_barrier_wait(&b), other = (long)join(t);
	TRUE((mine == PTHREAD_BARRIER_SERIAL_THREAD) != (other == PTHREAD_BARRIER_SERIAL_THREAD));
	EQUAL(mine + other, PTHREAD_BARRIER_SERIAL_THREAD);
	EQUAL(pthread_barrier_destroy(&b), 0);
}

CHECK(barrier_may_go_as_soon_as_one_is_through)
{
	for (int i = 0; i < 3; i++) {
		pthread_barrier_t *b = malloc(sizeof(*b));
		EQUAL(pthread_barrier_init(b, NULL, 2), 0);
		pthread_t t = start(arrive, b);
		pthread_barrier_wait(b);
		EQUAL(pthread_barrier_destroy(b), 0);
		join(t);
		free(b);
	}
}

CHECK(barrier_may_be_another_one_as_soon_as_one_is_through)
{
	static pthread_barrier_t b;
	for (int i = 0; i < 20; i++) {
		EQUAL(pthread_barrier_init(&b, NULL, 2), 0);
		pthread_t t = start(arrive, &b);
		pthread_barrier_wait(&b);
		EQUAL(pthread_barrier_destroy(&b), 0);
		EQUAL(pthread_barrier_init(&b, NULL, 2), 0);
		join(t);
		EQUAL(pthread_barrier_destroy(&b), 0);
	}
}
