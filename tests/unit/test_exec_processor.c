/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of exec/processor: which processors the calling thread may use afterwards, and whether it
 * may read the time stamp counter. */
#include "exec/processor.h"

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "unit/unit.h"

static cpu_set_t present(void)
{
	cpu_set_t set;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

static void workers_divide_the_processors(void **state)
{
	(void)state;
	const cpu_set_t *all = processors_all();
	unsigned count = (unsigned)CPU_COUNT(all);
	if (count < 2)
		return;
	cpu_set_t used;
	CPU_ZERO(&used);
	for (unsigned i = 0; i < count; i++) {
		struct processor p;
		processor_init(&p, i, count);
		processor_choose(&p, 0, false);
		cpu_set_t one = present();
		assert_int_equal(CPU_COUNT(&one), 1);
		CPU_OR(&used, &used, &one);
		processor_leave(&p);
		cpu_set_t now = present();
		assert_true(CPU_EQUAL(&now, all));
	}
	assert_true(CPU_EQUAL(&used, all));
}

static void who_is_alone_begins_anywhere(void **state)
{
	(void)state;
	struct processor p;
	processor_init(&p, 0, 1);
	for (int i = 0; i < 1000; i++)
		processor_choose(&p, 0, true);
	cpu_set_t now = present();
	processor_leave(&p);
	assert_true(CPU_EQUAL(&now, processors_all()));
}

/* Beyond the first moments, with the clock put back. */
static void who_is_alone_stays_where_it_is(void **state)
{
	(void)state;
	if (CPU_COUNT(processors_all()) < 2)
		return;
	struct processor p;
	processor_init(&p, 0, 1);
	processor_choose(&p, 0, true);
	p.left = p.until = 0;
	processor_choose(&p, 0, true);
	cpu_set_t now = present();
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_EQUAL(&now, &p.one));
	p.left = p.until = 0;
	processor_choose(&p, 0, true);
	now = present();
	processor_leave(&p);
	assert_true(CPU_EQUAL(&now, processors_all()));
}

static int counter_mode(void)
{
	int mode = 0;
	assert_int_equal(prctl(PR_GET_TSC, &mode), 0);
	return mode;
}

/* Where the kernel cannot close it, there is nothing to test. */
static void the_counter_is_closed_until_it_is_read(void **state)
{
	(void)state;
	struct processor p;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return;
	processor_open_counter();
	processor_init(&p, 0, 1);
	processor_choose(&p, 0, false);
	assert_int_equal(counter_mode(), PR_TSC_ENABLE);
	p.left = 0;
	processor_choose(&p, 0, true);
	int chosen = counter_mode();
	uint64_t now = clock_now_ns();
	int timed = counter_mode();
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	int read = counter_mode();
	processor_close_counter();
	processor_leave(&p);
	assert_true(now);
	assert_int_equal(chosen, PR_TSC_SIGSEGV);
	assert_int_equal(timed, PR_TSC_SIGSEGV);
	assert_int_equal(read, PR_TSC_ENABLE);
	assert_int_equal(counter_mode(), PR_TSC_ENABLE);
}

static volatile sig_atomic_t others;

static void count_other(int signal)
{
	(void)signal;
	others++;
}

/* They come to the handler of before. */
static void other_faults_are_not_swallowed(void **state)
{
	(void)state;
	void (*before)(int) = signal(SIGSEGV, count_other);
	processor_close_counter();
	processor_open_counter();
	raise(SIGSEGV);
	raise(SIGSEGV);
	signal(SIGSEGV, before);
	assert_int_equal(others, 1);
}

int main(void)
{
	RUN(cmocka_unit_test(workers_divide_the_processors),
	    cmocka_unit_test(who_is_alone_begins_anywhere),
	    cmocka_unit_test(who_is_alone_stays_where_it_is),
	    cmocka_unit_test(other_faults_are_not_swallowed),
	    cmocka_unit_test(the_counter_is_closed_until_it_is_read));
}
