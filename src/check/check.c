/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole search as one call (check.h): the defaults of its options, and its steps in order.  The
 * program file is found; its machine code is analysed for reads that nothing depends on and for
 * choices without effect (depend.c); the schedules are explored and the findings repeated
 * (search.c, show.c); and from all of that follows what may be claimed (verdict.c).
 */
#include "check/check.h"

struct check_options check_defaults(void)
{
	return (struct check_options){ .steps = CHECK_NOT_GIVEN,
				       .threads = CHECK_NOT_GIVEN,
				       .rounds = CHECK_NOT_GIVEN,
				       .loops = CHECK_NOT_GIVEN,
				       .preemptions = UINT64_MAX,
				       .jobs = 1 };
}

static void choose_bounds(struct check_options *o)
{
	o->has_steps = o->steps != CHECK_NOT_GIVEN;
	o->has_threads = o->threads != CHECK_NOT_GIVEN;
	o->has_rounds = o->rounds != CHECK_NOT_GIVEN;
	o->has_loops = o->loops != CHECK_NOT_GIVEN;
	if (!o->has_rounds)
		o->rounds = 0;
	if (!o->has_loops)
		o->loops = 0;
	if (!o->has_steps)
		o->steps = CHECK_DEFAULT_STEPS;
	if (!o->has_threads)
		o->threads = CHECK_DEFAULT_THREADS;
}

int check_run(struct check *c, char **argv, struct err *err)
{
	c->argv = argv;
	c->ledger.fd = -1;
	c->summary.command = "check";
	choose_bounds(&c->options);
	int rc = target_find(&c->program, argv[0], err);
	if (!rc)
		rc = check_depend(c, err);
	if (!rc)
		rc = check_idle(c, err);
	if (!rc)
		rc = check_program(c, err);
	if (!rc)
		check_judge(c);
	return rc;
}

void check_release(struct check *c)
{
	check_repeats_release(c);
	explore_result_release(&c->result);
	ledger_close(&c->ledger);
	buf_release(&c->ledger_path);
	vec_release(&c->unused.list);
	idle_release(&c->idle);
	vec_release(&c->polls);
	report_summary_release(&c->summary);
	target_release(&c->program);
}
