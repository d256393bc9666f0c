// C11 threads, thread-specific storage and call_once.
#include "check.h"
#include <threads.h>

static int square(void *argument)
{
	int n = (int)(long)argument;
	return n * n;
}

CHECK(create_and_join)
{
	thrd_t t;
	int result = 0;
	EQUAL(thrd_create(&t, square, (void *)-7), thrd_success);
	EQUAL(thrd_join(t, &result), thrd_success);
	EQUAL(result, 49);
	EQUAL(thrd_create(&t, square, NULL), thrd_success);
	EQUAL(thrd_join(t, NULL), thrd_success);
}

static int leaves(void *argument)
{
	(void)argument;
	thrd_exit(-3);
}

CHECK(exit_gives_the_result)
{
	thrd_t t;
	int result = 0;
	EQUAL(thrd_create(&t, leaves, NULL), thrd_success);
	EQUAL(thrd_join(t, &result), thrd_success);
	EQUAL(result, -3);
}

static atomic_int done;

static int counts(void *argument)
{
	(void)argument;
	atomic_fetch_add(&done, 1);
	return 0;
}

CHECK(detach)
{
	thrd_t t;
	atomic_store(&done, 0);
	EQUAL(thrd_create(&t, counts, NULL), thrd_success);
	EQUAL(thrd_detach(t), thrd_success);
	await(&done, 1);
}

static thrd_t told;

static int tells(void *argument)
{
	(void)argument;
	told = thrd_current();
	return 0;
}

CHECK(identity)
{
	thrd_t t;
	EQUAL(thrd_create(&t, tells, NULL), thrd_success);
	EQUAL(thrd_join(t, NULL), thrd_success);
	TRUE(thrd_equal(t, told));
	TRUE(!thrd_equal(told, thrd_current()));
}

CHECK(sleep_and_yield)
{
	struct timespec before = in_ms(CLOCK_MONOTONIC, 0), limit = in_ms(CLOCK_MONOTONIC, 1);
	EQUAL(thrd_sleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL), 0);
	TRUE(has_passed(CLOCK_MONOTONIC, &limit));
	TRUE(has_passed(CLOCK_MONOTONIC, &before));
	EQUAL(thrd_sleep(&(struct timespec){ .tv_nsec = -1 }, NULL) < -1, 1);
	thrd_yield();
}

static tss_t key;
static int destroyed;

static void destroy(void *value)
{
	destroyed += (int)(long)value;
}

static int stores(void *argument)
{
	if (tss_get(key))
		return 1;
	tss_set(key, argument);
	return (int)(long)tss_get(key);
}

CHECK(thread_specific_storage)
{
	thrd_t t;
	int result = 0;
	EQUAL(tss_create(&key, destroy), thrd_success);
	EQUAL(tss_set(key, (void *)50), thrd_success);
	EQUAL(thrd_create(&t, stores, (void *)6), thrd_success);
	EQUAL(thrd_join(t, &result), thrd_success);
	EQUAL(result, 6);
	EQUAL(destroyed, 6);
	EQUAL(tss_get(key), 50);
	tss_delete(key);
}

static once_flag flag = ONCE_FLAG_INIT;
static int initialised;

static void initialise(void)
{
	initialised++;
}

static int calls_once(void *argument)
{
	(void)argument;
	call_once(&flag, initialise);
	return initialised;
}

CHECK(once)
{
	thrd_t t[4];
	for (int i = 0; i < 4; i++)
		EQUAL(thrd_create(&t[i], calls_once, NULL), thrd_success);
	for (int i = 0; i < 4; i++) {
		int result = 0;
		EQUAL(thrd_join(t[i], &result), thrd_success);
		EQUAL(result, 1);
	}
}
