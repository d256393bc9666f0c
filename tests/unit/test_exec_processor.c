/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of exec/processor: which processors the calling thread may use afterwards. */
#include "exec/processor.h"
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
	assert_true(CPU_EQUAL(&now, processors_all()));
}

int main(void)
{
	RUN(cmocka_unit_test(workers_divide_the_processors),
	    cmocka_unit_test(who_is_alone_begins_anywhere),
	    cmocka_unit_test(who_is_alone_stays_where_it_is));
}
