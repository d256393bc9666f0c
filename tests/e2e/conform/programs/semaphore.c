// Semaphores: values, blocking, deadlines, names.
#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>

/* What a failed call left in errno, 0 if it did not fail. */
static int error_of(int rc)
{
	return rc ? errno : 0;
}

static int value_of(sem_t *s)
{
	int v = -1;
	sem_getvalue(s, &v);
	return v;
}

CHECK(values)
{
	sem_t s;
	EQUAL(sem_init(&s, 0, 2), 0);
	EQUAL(value_of(&s), 2);
	EQUAL(sem_wait(&s), 0);
	EQUAL(sem_trywait(&s), 0);
	EQUAL(value_of(&s), 0);
	EQUAL(error_of(sem_trywait(&s)), EAGAIN);
	EQUAL(sem_post(&s), 0);
	EQUAL(value_of(&s), 1);
	EQUAL(sem_destroy(&s), 0);
}

CHECK(limits)
{
	sem_t s;
	EQUAL(error_of(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1)), EINVAL);
	EQUAL(sem_init(&s, 0, SEM_VALUE_MAX), 0);
	EQUAL(error_of(sem_post(&s)), EOVERFLOW);
	EQUAL(value_of(&s), SEM_VALUE_MAX);
	EQUAL(sem_destroy(&s), 0);
}

CHECK(deadlines)
{
	sem_t s;
	EQUAL(sem_init(&s, 0, 0), 0);
	struct timespec soon = in_ms(CLOCK_REALTIME, 10), steady = in_ms(CLOCK_MONOTONIC, 10);
	EQUAL(error_of(sem_timedwait(&s, &soon)), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	EQUAL(error_of(sem_clockwait(&s, CLOCK_MONOTONIC, &steady)), ETIMEDOUT);
	TRUE(has_passed(CLOCK_MONOTONIC, &steady));
	EQUAL(sem_post(&s), 0);
	EQUAL(error_of(sem_timedwait(&s, &soon)), 0);
	EQUAL(value_of(&s), 0);
	EQUAL(sem_destroy(&s), 0);
}

CHECK(invalid_times_and_clocks)
{
	sem_t s;
	struct timespec bad = { .tv_sec = 1, .tv_nsec = 1000000000 };
	EQUAL(sem_init(&s, 0, 0), 0);
	EQUAL(error_of(sem_timedwait(&s, &bad)), EINVAL);
	EQUAL(error_of(sem_clockwait(&s, CLOCK_REALTIME, &bad)), EINVAL);
	bad.tv_nsec = 0;
	EQUAL(error_of(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &bad)), EINVAL);
	EQUAL(sem_destroy(&s), 0);
}

static sem_t gate;
static atomic_int waiting, through;

static void *go_through(void *unused)
{
	atomic_fetch_add(&waiting, 1);
	sem_wait(&gate);
	atomic_fetch_add(&through, 1);
	return unused;
}

CHECK(post_lets_one_through)
{
	pthread_t t[3];
	EQUAL(sem_init(&gate, 0, 0), 0);
	for (int i = 0; i < 3; i++)
		t[i] = start(go_through, NULL);
	await(&waiting, 3);
	settle();
	EQUAL(atomic_load(&through), 0);
	for (int i = 1; i <= 3; i++) {
		EQUAL(sem_post(&gate), 0);
		await(&through, i);
		settle();
		EQUAL(atomic_load(&through), i);
	}
	for (int i = 0; i < 3; i++)
		join(t[i]);
	EQUAL(value_of(&gate), 0);
	EQUAL(sem_destroy(&gate), 0);
}

#define NAME "/heddle-conform-semaphore"

CHECK(named)
{
	sem_unlink(NAME);
	EQUAL(error_of(sem_open(NAME, 0) == SEM_FAILED), ENOENT);
	sem_t *s = sem_open(NAME, O_CREAT | O_EXCL, 0600, 1);
	TRUE(s != SEM_FAILED);
	EQUAL(error_of(sem_open(NAME, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED), EEXIST);
	sem_t *again = sem_open(NAME, 0);
	TRUE(again == s);
	TRUE(sem_open(NAME, O_CREAT, 0600, 7) == s);
	EQUAL(value_of(s), 1);
	EQUAL(sem_wait(again), 0);
	EQUAL(error_of(sem_trywait(s)), EAGAIN);
	EQUAL(sem_close(s), 0);
	EQUAL(sem_close(s), 0);
	EQUAL(sem_unlink(NAME), 0);
	EQUAL(error_of(sem_unlink(NAME)), ENOENT);
	/* It lives on without its name until it is closed, beside a new one. */
	sem_t *other = sem_open(NAME, O_CREAT, 0600, 3);
	TRUE(other != SEM_FAILED && other != again);
	EQUAL(value_of(other), 3);
	EQUAL(sem_post(again), 0);
	EQUAL(value_of(again), 1);
	EQUAL(value_of(other), 3);
	EQUAL(sem_close(again), 0);
	EQUAL(sem_close(other), 0);
	EQUAL(sem_unlink(NAME), 0);
}

CHECK(bad_names)
{
	char longest[NAME_MAX + 2];
	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[sizeof(longest) - 1] = 0;
	EQUAL(error_of(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED), EINVAL);
	EQUAL(error_of(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED), EINVAL);
	EQUAL(error_of(sem_open(longest, O_CREAT, 0600, 1) == SEM_FAILED), ENAMETOOLONG);
	EQUAL(error_of(sem_unlink(longest)), ENAMETOOLONG);
	EQUAL(error_of(sem_unlink("/")), ENOENT);
	EQUAL(error_of(sem_unlink("/a/b")), ENOENT);
}
