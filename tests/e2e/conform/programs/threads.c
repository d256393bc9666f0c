// Threads: creation, joining, detaching, attributes and what they say, names, keys.
#include "check.h"
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>

static void *same(void *argument)
{
	return argument;
}

static atomic_int gate, passed;

static void *await_gate(void *argument)
{
	await(&gate, 1);
	atomic_fetch_add(&passed, 1);
	return argument;
}

CHECK(join_gives_the_result)
{
	EQUAL(join(start(same, (void *)17)), 17);
	pthread_t t = start(same, NULL);
	EQUAL(pthread_join(t, NULL), 0);
}

CHECK(join_of_self_is_a_deadlock)
{
	EQUAL(pthread_join(pthread_self(), NULL), EDEADLK);
}

CHECK(join_of_detached_is_invalid)
{
	atomic_store(&gate, 0);
	pthread_t t = start(await_gate, NULL);
	EQUAL(pthread_detach(t), 0);
	EQUAL(pthread_join(t, NULL), EINVAL);
	EQUAL(pthread_detach(t), EINVAL);
	atomic_store(&passed, 0);
	atomic_store(&gate, 1);
	await(&passed, 1);
}

CHECK(tryjoin)
{
	atomic_store(&gate, 0);
	pthread_t t = start(await_gate, (void *)3);
	void *result = NULL;
	EQUAL(pthread_tryjoin_np(t, &result), EBUSY);
	atomic_store(&gate, 1);
	int rc;
	while ((rc = pthread_tryjoin_np(t, &result)) == EBUSY)
		usleep(100);
	EQUAL(rc, 0);
	EQUAL(result, 3);
}

CHECK(timed_joins)
{
	atomic_store(&gate, 0);
	pthread_t t = start(await_gate, (void *)4);
	struct timespec soon = in_ms(CLOCK_REALTIME, 2);
	EQUAL(pthread_timedjoin_np(t, NULL, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	soon = in_ms(CLOCK_MONOTONIC, 2);
	EQUAL(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	EQUAL(pthread_clockjoin_np(t, NULL, CLOCK_THREAD_CPUTIME_ID, &soon), EINVAL);
	atomic_store(&gate, 1);
	void *result = NULL;
	int rc;
	do {	/* any wait may time out */
		struct timespec late = in_ms(CLOCK_REALTIME, 100000);
		rc = pthread_timedjoin_np(t, &result, &late);
	} while (rc == ETIMEDOUT);
	EQUAL(rc, 0);
	EQUAL(result, 4);
}

CHECK(detached_by_attribute)
{
	pthread_attr_t attr;
	pthread_t t;
	atomic_store(&gate, 0);
	EQUAL(pthread_attr_init(&attr), 0);
	EQUAL(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
	EQUAL(pthread_create(&t, &attr, await_gate, NULL), 0);
	EQUAL(pthread_join(t, NULL), EINVAL);
	EQUAL(pthread_attr_destroy(&attr), 0);
	atomic_store(&passed, 0);
	atomic_store(&gate, 1);
	await(&passed, 1);
}

/* ---- stacks ---- */

struct seen {
	uintptr_t local;
	void *address;
	size_t size, guard;
	int detached, rc;
};

static void *look_at_stack(void *out)
{
	struct seen *s = out;
	pthread_attr_t attr;
	char local;
	s->local = (uintptr_t)&local;
	s->rc = pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &s->address, &s->size);
	pthread_attr_getguardsize(&attr, &s->guard);
	pthread_attr_getdetachstate(&attr, &s->detached);
	pthread_attr_destroy(&attr);
	return NULL;
}

static void use(char *memory, size_t n)
{
	for (size_t i = 0; i < n; i += 1024)
		((volatile char *)memory)[i] = 1;
}

static void *use_most(void *bytes)
{
	size_t n = (size_t)bytes - 32 * 1024;
	char memory[n];
	use(memory, n);
	return NULL;
}

static int is_inside(const struct seen *s)
{
	return s->local - (uintptr_t)s->address < s->size;
}

CHECK(stack_size)
{
	pthread_attr_t attr;
	pthread_t t;
	struct seen s;
	static const size_t sizes[] = { 65536, 1 << 20, 12 << 20, 100 << 20 };
	EQUAL(pthread_attr_init(&attr), 0);
	EQUAL(pthread_attr_setstacksize(&attr, 100), EINVAL);
	for (int i = 0; i < 4; i++) {
		size_t told = 0;
		EQUAL(pthread_attr_setstacksize(&attr, sizes[i]), 0);
		EQUAL(pthread_attr_getstacksize(&attr, &told), 0);
		EQUAL(told, sizes[i]);
		EQUAL(pthread_create(&t, &attr, look_at_stack, &s), 0);
		EQUAL(pthread_join(t, NULL), 0);
		EQUAL(s.rc, 0);
		TRUE(s.size >= sizes[i] - 65536 && s.size <= sizes[i] + 65536);
		TRUE(is_inside(&s));
		EQUAL(pthread_create(&t, &attr, use_most, (void *)(sizes[i] > 65536 ? sizes[i] - 65536 : 40000)), 0);
		EQUAL(pthread_join(t, NULL), 0);
	}
	EQUAL(pthread_attr_destroy(&attr), 0);
}

CHECK(stack_of_the_programs_own)
{
	static char memory[262144] __attribute__((aligned(4096)));
	pthread_attr_t attr;
	pthread_t t;
	struct seen s;
	void *address;
	size_t size;
	EQUAL(pthread_attr_init(&attr), 0);
	EQUAL(pthread_attr_setstack(&attr, memory, sizeof(memory)), 0);
	EQUAL(pthread_attr_getstack(&attr, &address, &size), 0);
	TRUE(address == memory && size == sizeof(memory));
	for (int i = 0; i < 3; i++) {
		EQUAL(pthread_create(&t, &attr, look_at_stack, &s), 0);
		EQUAL(pthread_join(t, NULL), 0);
		TRUE(s.address == memory && s.size == sizeof(memory));
		TRUE(is_inside(&s));
	}
	pthread_attr_destroy(&attr);
}

CHECK(stack_that_goes_away)
{
	const size_t size = 1 << 20;
	for (int i = 0; i < 4; i++) {
		pthread_attr_t attr;
		pthread_t t;
		struct seen s;
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, memory, size);
		EQUAL(pthread_create(&t, &attr, look_at_stack, &s), 0);
		EQUAL(pthread_join(t, NULL), 0);
		TRUE(s.address == memory && is_inside(&s));
		pthread_attr_destroy(&attr);
		EQUAL(munmap(memory, size), 0);
	}
}

CHECK(what_is_told_about_the_main_thread)
{
	struct seen s;
	look_at_stack(&s);
	EQUAL(s.rc, 0);
	TRUE(is_inside(&s));
	EQUAL(s.detached, PTHREAD_CREATE_JOINABLE);
}

/* ---- attributes without an effect on who runs ---- */

CHECK(attributes_are_kept)
{
	pthread_attr_t attr;
	int value;
	size_t guard;
	struct sched_param param = { .sched_priority = 0 };
	cpu_set_t set, told;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	EQUAL(pthread_attr_init(&attr), 0);
	EQUAL(pthread_attr_setguardsize(&attr, 12288), 0);
	EQUAL(pthread_attr_getguardsize(&attr, &guard), 0);
	EQUAL(guard, 12288);
	EQUAL(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED), 0);
	EQUAL(pthread_attr_getinheritsched(&attr, &value), 0);
	EQUAL(value, PTHREAD_EXPLICIT_SCHED);
	EQUAL(pthread_attr_setschedpolicy(&attr, SCHED_OTHER), 0);
	EQUAL(pthread_attr_setschedparam(&attr, &param), 0);
	EQUAL(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM), 0);
	EQUAL(pthread_attr_setaffinity_np(&attr, sizeof(set), &set), 0);
	EQUAL(pthread_attr_getaffinity_np(&attr, sizeof(told), &told), 0);
	TRUE(CPU_EQUAL(&set, &told));
	pthread_t t;
	EQUAL(pthread_create(&t, &attr, same, (void *)5), 0);
	EQUAL(join(t), 5);
	EQUAL(pthread_attr_destroy(&attr), 0);
}

CHECK(affinity_and_scheduling_are_accepted)
{
	cpu_set_t set;
	int policy;
	struct sched_param param;
	EQUAL(pthread_getaffinity_np(pthread_self(), sizeof(set), &set), 0);
	EQUAL(pthread_setaffinity_np(pthread_self(), sizeof(set), &set), 0);
	EQUAL(sched_getaffinity(0, sizeof(set), &set), 0);
	EQUAL(sched_setaffinity(0, sizeof(set), &set), 0);
	EQUAL(pthread_getschedparam(pthread_self(), &policy, &param), 0);
	EQUAL(pthread_setschedparam(pthread_self(), policy, &param), 0);
	EQUAL(pthread_setconcurrency(2), 0);
	EQUAL(sched_yield(), 0);
}

/* ---- identity ---- */

static void *number(void *unused)
{
	(void)unused;
	return (void *)(long)gettid();
}

CHECK(identity)
{
	pthread_t a = start(same, NULL), b = start(same, NULL);
	TRUE(pthread_equal(a, a));
	TRUE(!pthread_equal(a, b));
	join(a);
	join(b);
	EQUAL(gettid(), getpid());
	EQUAL(gettid(), gettid());
	TRUE((long)join(start(number, NULL)) != gettid());
}

CHECK(processor_time_of_a_thread)
{
	clockid_t clock;
	struct timespec t;
	EQUAL(pthread_getcpuclockid(pthread_self(), &clock), 0);
	EQUAL(clock_gettime(clock, &t), 0);
}

CHECK(names)
{
	char name[16];
	atomic_store(&gate, 0);
	pthread_t t = start(await_gate, NULL);
	EQUAL(pthread_setname_np(t, "worker"), 0);
	EQUAL(pthread_getname_np(t, name, sizeof(name)), 0);
	TRUE(!strcmp(name, "worker"));
	EQUAL(pthread_setname_np(t, "a name that is too long"), ERANGE);
	EQUAL(pthread_getname_np(t, name, 3), ERANGE);
	atomic_store(&gate, 1);
	join(t);
}

/* ---- thread-specific data ---- */

static pthread_key_t key, other_key;
static int destroyed, rounds;

static void destroy(void *value)
{
	destroyed += (int)(long)value;
}

static void destroy_again(void *value)
{
	rounds++;
	pthread_setspecific(other_key, value);
}

static void *set_keys(void *argument)
{
	if (pthread_getspecific(key))
		return (void *)1;
	pthread_setspecific(key, argument);
	pthread_setspecific(other_key, argument);
	return pthread_getspecific(key);
}

CHECK(keys)
{
	EQUAL(pthread_key_create(&key, destroy), 0);
	EQUAL(pthread_key_create(&other_key, destroy_again), 0);
	pthread_setspecific(key, (void *)100);
	EQUAL(join(start(set_keys, (void *)7)), 7);
	EQUAL(destroyed, 7);
	EQUAL(rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
	EQUAL(pthread_getspecific(key), 100);
	EQUAL(pthread_key_delete(key), 0);
	EQUAL(pthread_key_delete(other_key), 0);
	EQUAL(pthread_key_delete(other_key), EINVAL);
}
