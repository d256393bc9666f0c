/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a trace (trace/counts.h): which thread holds a lock, and which ones wait for it. */
#include "trace/counts.h"
#include "unit/unit.h"
#include "wire/sync.h"

#define LOCK 0x1000u

static void add(struct trace_counts *c, unsigned thread, unsigned kind, unsigned mode)
{
	trace_counts_add(c, &(struct event){ .thread = thread,
					     .kind = (uint8_t)kind,
					     .mode = (uint8_t)mode,
					     .obj = LOCK });
}

/* A second reader does not wait; a writer does, until both have gone. */
static void readers_share_a_lock(struct trace_counts *c, unsigned shared, unsigned exclusive)
{
	add(c, 1, EV_ACQUIRE, shared);
	add(c, 2, EV_REQUEST, shared);
	assert_int_equal(c->locks.at[0].contended, 0);
	add(c, 2, EV_ACQUIRE, shared);
	add(c, 3, EV_REQUEST, exclusive);
	assert_int_equal(c->locks.at[0].contended, 1);
	assert_int_equal(c->threads.at[3].waits, 1);
	add(c, 1, EV_RELEASE, shared);
	add(c, 2, EV_RELEASE, shared);
	add(c, 3, EV_ACQUIRE, exclusive);
	assert_int_equal(c->locks.at[0].waiting, 0);
	assert_int_equal(c->locks.at[0].longest, 1);
	assert_int_equal(c->locks.at[0].acquired, 3);
	assert_int_equal(c->locks.at[0].owner, 3);
}

static void rwlocks_are_shared(void **state)
{
	(void)state;
	struct trace_counts c = { 0 };
	readers_share_a_lock(&c, SYNC_RDLOCK, SYNC_WRLOCK);
	trace_counts_release(&c);
}

static void annotated_locks_are_shared(void **state)
{
	(void)state;
	struct trace_counts c = { 0 };
	readers_share_a_lock(&c, SYNC_ANNOTATED_SHARED, SYNC_ANNOTATED);
	trace_counts_release(&c);
}

static void a_recursive_request_is_not_contended(void **state)
{
	(void)state;
	struct trace_counts c = { 0 };
	add(&c, 1, EV_ACQUIRE, SYNC_MUTEX);
	add(&c, 1, EV_REQUEST, SYNC_MUTEX);
	assert_int_equal(c.locks.at[0].contended, 0);
	add(&c, 2, EV_TRY_FAIL, SYNC_MUTEX);
	assert_int_equal(c.locks.at[0].contended, 1);
	assert_int_equal(c.threads.at[2].waits, 0);
	trace_counts_release(&c);
}

int main(void)
{
	RUN(cmocka_unit_test(rwlocks_are_shared), cmocka_unit_test(annotated_locks_are_shared),
	    cmocka_unit_test(a_recursive_request_is_not_contended));
}
