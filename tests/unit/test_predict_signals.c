/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables in src/predict: waits that a signal may miss (signals.c), and whom a signal
 * wakes (queues.c). */
#include "predict/turns.h"
#include "predict_samples.h"

#define BEGIN "T0 begin = 0xffffffff\nT0 fork = 1 -> 0x10 @1\nT1 begin = 0 @2\n"
#define LOCK(thread, place) thread " acquire:mutex 0x3000 = 1 @" place "\n"
#define UNLOCK(thread) thread " release:mutex 0x3000 = 0 @20\n"
/* T1 waits at place 5 and is woken by T0's signal at place 6. */
#define WAIT LOCK("T1", "3") "T1 wait:cond 0x4000 = 0x3000 @5\n" UNLOCK("T1")
#define SIGNAL "T0 signal:cond 0x4000 = 2 @6\n"
#define WAKE "T1 wake:cond 0x4000 = 0x3000 @5\n" LOCK("T1", "5") UNLOCK("T1")
#define JOIN "T1 end = 0 @7\nT0 join-wait = 1 @8\nT0 join = 1 @8\nT0 process-end = 0 -> 0 @9"

static size_t find(struct sample_finder *s, const char *events, bool is_generous)
{
	sample_finder_open(s, events);
	s->options.is_generous = is_generous;
	find_lost_signals(&s->f);
	return s->f.candidates.len;
}

/* The signal may come first: then T1 waits, T0 waits for T1, and no thread is left. */
static void a_signal_that_comes_first(void **state)
{
	(void)state;
	struct sample_finder s;
	assert_int_equal(find(&s, BEGIN WAIT SIGNAL WAKE JOIN, false), 1);
	const struct candidate *c = &s.f.candidates.at[0];
	assert_int_equal(c->kind, FINDING_LOST_SIGNAL);
	assert_string_equal(sample_places(&s, c), "5 6");
	/* About to wait: T1 for the signal, T0 for the end of T1; the signal has happened. */
	assert_int_equal(c->pending.len, 2);
	assert_int_equal(finder_event(&s.f, c->pending.at[0])->kind, EV_JOIN);
	assert_int_equal(finder_event(&s.f, c->pending.at[1])->kind, EV_WAIT);
	assert_int_equal(c->include.len, 1);
	assert_int_equal(finder_place(&s.f, c->include.at[0]), 6);
	sample_finder_close(&s);
}

/* The main thread ends the process without a join: the wait may be cut short, unless it will be
 * tried. */
static void a_process_that_ends(void **state)
{
	(void)state;
	struct sample_finder s;
	assert_int_equal(find(&s, BEGIN WAIT SIGNAL WAKE "T0 process-end = 0 -> 0 @9", false), 0);
	sample_finder_close(&s);
	assert_int_equal(find(&s, BEGIN WAIT SIGNAL WAKE "T0 process-end = 0 -> 0 @9", true), 1);
	sample_finder_close(&s);
}

/* Nobody signals; nobody waits; another variable is signalled. */
static void no_partner(void **state)
{
	(void)state;
	struct sample_finder s;
	assert_int_equal(find(&s, BEGIN LOCK("T1", "3") UNLOCK("T1") SIGNAL JOIN, false), 0);
	sample_finder_close(&s);
	assert_int_equal(find(&s,
			      BEGIN WAIT "T0 signal:cond 0x5000 = 0 @6\nT0 process-end = 0 -> 0 @9",
			      true),
			 0);
	sample_finder_close(&s);
}

/* A wait with a timeout does not last for ever. */
static void a_wait_that_gives_up(void **state)
{
	(void)state;
	struct sample_finder s;
	assert_int_equal(find(&s,
			      BEGIN LOCK("T1", "3") "T1 wait:cond 0x4000 = 0x3000 -> 1 @5\n" UNLOCK(
				      "T1") SIGNAL WAKE JOIN,
			      false),
			 0);
	sample_finder_close(&s);
}

/* What the signalling thread needs of the waiting one before its signal cannot come after the wait.
 */
static void a_wait_that_is_needed(void **state)
{
	(void)state;
	struct sample_finder s;
	/* T1 is woken and writes; T0 reads that, and goes on by what it read, before it joins. */
	assert_int_equal(find(&s,
			      BEGIN WAIT SIGNAL WAKE "T1 write:seq_cst 4 0x1000 = 1 @10\n"
						     "T0 rmw:seq_cst 4 0x1000 = 1 -> 2 @11\n" LOCK(
							     "T0", "12") UNLOCK("T0") JOIN,
			      false),
			 0);
	sample_finder_close(&s);
}

/* ---- whom signals wake ---- */

#define COND 0x4000
static const struct index_event events[] = {
	{ .kind = EV_WAIT, .obj = COND, .thread = 1 },
	{ .kind = EV_WAIT, .obj = COND, .thread = 2 },
	{ .kind = EV_WAIT, .obj = COND + 64, .thread = 3 },
	{ .kind = EV_SIGNAL, .obj = COND, .thread = 0 },
	{ .kind = EV_SIGNAL, .obj = COND, .thread = 0 },
	{ .kind = EV_BROADCAST, .obj = COND, .thread = 0 },
	{ .kind = EV_TIMEOUT, .obj = COND, .thread = 1 },
};
enum { WAIT_1, WAIT_2, WAIT_OTHER, SIGNAL_A, SIGNAL_B, BROADCAST, TIMEOUT_1 };

struct followed {
	struct trace_index x;
	struct confirmer c;
	struct queues q;
};

static void follow(struct followed *f, const ev_id *ids, size_t count)
{
	f->x = (struct trace_index){ .events = events, .count = sizeof(events) / sizeof(*events) };
	f->c.x = &f->x;
	for (size_t i = 0; i < count; i++)
		queues_follow(&f->c, &f->q, ids[i]);
}

static void end(struct followed *f)
{
	queues_release(&f->q);
	map_release(&f->c.woken);
}

#define FOLLOW(f, ...)                            \
	follow(f, (const ev_id[]){ __VA_ARGS__ }, \
	       sizeof((const ev_id[]){ __VA_ARGS__ }) / sizeof(ev_id))

static void queues(void **state)
{
	(void)state;
	struct followed f = { 0 };
	/* Nobody says whom: the first one; the choice is asked for, as there are two. */
	FOLLOW(&f, WAIT_1, WAIT_2, WAIT_OTHER, SIGNAL_A);
	assert_int_equal(f.q.choices.len, 1);
	assert_int_equal(f.q.choices.at[0], 0);
	assert_int_equal(f.q.list.len, 2);
	assert_int_equal(f.q.list.at[0].thread, 2);
	/* There is one left: nothing to choose. */
	FOLLOW(&f, SIGNAL_B);
	assert_int_equal(f.q.choices.len, 1);
	assert_int_equal(f.q.list.len, 1);
	assert_int_equal(f.q.list.at[0].thread, 3);
	end(&f);

	/* The recorded run woke the second one. */
	struct followed g = { 0 };
	*map_put(&g.c.woken, SIGNAL_A, NULL) = 2;
	FOLLOW(&g, WAIT_1, WAIT_2, SIGNAL_A);
	assert_int_equal(g.q.choices.at[0], 1);
	assert_int_equal(g.q.list.len, 1);
	assert_int_equal(g.q.list.at[0].thread, 1);
	end(&g);
}

static void broadcasts_and_timeouts(void **state)
{
	(void)state;
	struct followed f = { 0 };
	FOLLOW(&f, WAIT_1, WAIT_OTHER, WAIT_2, BROADCAST);
	assert_int_equal(f.q.list.len, 1);
	assert_int_equal(f.q.list.at[0].thread, 3);
	end(&f);
	struct followed g = { 0 };
	FOLLOW(&g, WAIT_1, WAIT_2, TIMEOUT_1, SIGNAL_A);
	assert_int_equal(g.q.list.len, 0);
	assert_int_equal(g.q.choices.len, 0);
	end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_that_comes_first),
		cmocka_unit_test(a_process_that_ends),
		cmocka_unit_test(no_partner),
		cmocka_unit_test(a_wait_that_gives_up),
		cmocka_unit_test(a_wait_that_is_needed),
		cmocka_unit_test(queues),
		cmocka_unit_test(broadcasts_and_timeouts),
	};
	return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
