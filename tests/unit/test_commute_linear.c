/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of commute/linear and call_history: random histories against all orders of their calls. */
#include <string.h>

#include "base/buf.h"
#include "commute/linear.h"
#include "unit/unit.h"

enum { CALLS_MAX = 6, THREADS = 3, HISTORIES = 2000 };

static const char objects[] =
	"object queue { state l: list;\n"
	"  method put(v: int) { l = append(l, v); }\n"
	"  method take() -> v: int { v = first(l); l = rest(l); } }\n"
	"object set { state s: set;\n"
	"  method add(v: int) -> changed: bool { changed = !has(s, v); s = with(s, v); }\n"
	"  method remove(v: int) -> changed: bool { changed = has(s, v); s = without(s, v); } }\n"
	"object semaphore { state n: int;\n"
	"  method post() { n = n + 1; }\n"
	"  method wait() -> left: int enabled when n > 0 { n = n - 1; left = n; } }\n";

static void read_spec(struct spec *s)
{
	struct err err = { "" };
	assert_int_equal(spec_parse(s, "objects", objects, strlen(objects), &err), 0);
}

/* ---- all orders ---- */

static bool precedes(const struct history_call *a, const struct history_call *b)
{
	return a->end != HISTORY_PENDING && a->end < b->begin;
}

/* Whether the calls that are not in the set `in` can follow the state. */
static bool has_order(const struct call_history *h, const struct model_state *state, unsigned in)
{
	const struct spec_object *o = h->instances.at[0].object;
	bool is_done = true;
	for (size_t i = 0; i < h->calls.len; i++)
		is_done &= in >> i & 1 || h->calls.at[i].end == HISTORY_PENDING;
	for (size_t i = 0; i < h->calls.len && !is_done; i++) {
		const struct history_call *c = &h->calls.at[i];
		bool may_be_next = !(in >> i & 1);
		for (size_t k = 0; k < h->calls.len; k++)
			may_be_next &= in >> k & 1 || !precedes(&h->calls.at[k], c);
		struct model_state after = *state;
		int64_t fields[SPEC_FIELDS_MAX];
		memcpy(fields, c->fields, sizeof(fields));
		if (!may_be_next || model_call(o, history_method(h, c), &after, fields))
			continue;
		bool is_same =
			c->end == HISTORY_PENDING || !memcmp(fields, c->fields, sizeof(fields));
		is_done = is_same && has_order(h, &after, in | 1u << i);
	}
	return is_done;
}

/* ---- random histories ---- */

struct random_thread {
	bool is_inside;
	const struct spec_method *method;
};

static void add_value(struct buf *out, const struct spec_variable *v, int64_t value)
{
	if (v->type == SPEC_BOOL)
		buf_str(out, value ? " true" : " false");
	else
		buf_printf(out, " %d", (int)value);
}

/*
 * Threads call and return in any order.  A call takes effect when it returns, on a model whose
 * results are changed now and then: about half of the histories are linearizable.
 */
static void random_history(const struct spec *s, uint64_t seed, struct buf *out)
{
	uint64_t random = seed;
	const struct spec_object *o = &s->objects.at[seed % s->objects.len];
	struct random_thread threads[THREADS] = { 0 };
	int64_t fields[THREADS][SPEC_FIELDS_MAX] = { 0 };
	struct model_state state;
	int calls = 0, size = 2 + (int)(test_random(&random) % (CALLS_MAX - 1));
	model_begin(&state);
	buf_printf(out, "object o %s\n", o->name);
	for (int moment = 0; moment < 3 * size; moment++) {
		unsigned t = (unsigned)(test_random(&random) % THREADS);
		if (!threads[t].is_inside && calls++ < size) {
			const struct spec_method *m =
				&o->methods.at[test_random(&random) % o->methods.len];
			threads[t] = (struct random_thread){ true, m };
			buf_printf(out, "call T%u o.%s", t, m->name);
			for (unsigned i = 0; i < m->parameters; i++) {
				fields[t][i] = 1 + (int64_t)(test_random(&random) % 2);
				add_value(out, &m->fields.at[i], fields[t][i]);
			}
			buf_str(out, "\n");
		} else if (threads[t].is_inside) {
			const struct spec_method *m = threads[t].method;
			threads[t].is_inside = false;
			model_call(o, m, &state, fields[t]);
			buf_printf(out, "return T%u", t);
			for (size_t i = m->parameters; i < m->fields.len; i++) {
				int64_t value =
					test_random(&random) % 6 ? fields[t][i] : !fields[t][i];
				add_value(out, &m->fields.at[i], value);
			}
			buf_str(out, "\n");
		}
	}
}

static void orders_are_those_of_brute_force(void **unused)
{
	(void)unused;
	struct spec s;
	unsigned yes = 0, no = 0;
	read_spec(&s);
	for (uint64_t seed = 0; seed < HISTORIES; seed++) {
		struct buf text = { 0 };
		struct call_history h;
		struct err err = { "" };
		struct model_state state;
		struct linear l;
		random_history(&s, seed, &text);
		assert_int_equal(call_history_parse(&h, &s, "h", text.at, text.len, &err), 0);
		model_begin(&state);
		bool expected = has_order(&h, &state, 0);
		linear_check(&h, 0, h.moments, UINT64_MAX, &l);
		if ((l.end == LINEAR_YES) != expected || l.end == LINEAR_UNKNOWN)
			fail_msg("seed %d, expected %d:\n%s", (int)seed, expected, text.at);
		*(expected ? &yes : &no) += 1;
		if (!expected) {
			struct linear before, at;
			uint32_t moments = linear_shortest(&h, 0, UINT64_MAX);
			linear_check(&h, 0, moments - 1, UINT64_MAX, &before);
			linear_check(&h, 0, moments, UINT64_MAX, &at);
			assert_int_equal(before.end, LINEAR_YES);
			assert_int_equal(at.end, LINEAR_NO);
			linear_release(&before);
			linear_release(&at);
		}
		linear_release(&l);
		call_history_release(&h);
		buf_release(&text);
	}
	assert_true(yes > HISTORIES / 5 && no > HISTORIES / 5);
	spec_release(&s);
}

/* 20,000 calls of two threads, each of which overlaps one of the other. */
static void long_histories_are_fast(void **unused)
{
	(void)unused;
	struct spec s;
	struct call_history h;
	struct linear l;
	struct err err = { "" };
	struct buf text = { 0 };
	read_spec(&s);
	buf_str(&text, "object o queue\n");
	for (int i = 1; i <= 10000; i++)
		buf_printf(&text, "call A o.put %d\ncall B o.take\nreturn A\nreturn B %d\n", i, i);
	assert_int_equal(call_history_parse(&h, &s, "h", text.at, text.len, &err), 0);
	linear_check(&h, 0, h.moments, 1000000, &l);
	assert_int_equal(l.end, LINEAR_YES);
	assert_int_equal(l.order.len, 20000);
	assert_true(l.states < 100000);
	linear_release(&l);
	linear_check(&h, 0, h.moments, 100, &l);
	assert_int_equal(l.end, LINEAR_UNKNOWN);
	linear_release(&l);
	call_history_release(&h);
	buf_release(&text);
	spec_release(&s);
}

static void errors_have_a_line(void **unused)
{
	(void)unused;
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "kall", "h:1: a line begins with 'object', 'call' or 'return', not 'kall'" },
		{ "object o", "h:1: 'object' is followed by a name and the object that it is" },
		{ "object o stack", "h:1: objects specifies no object 'stack'" },
		{ "object o set\nobject o set", "h:2: 'o' is there already" },
		{ "call A o.add 1", "h:1: what 'o' is must be said before, by a line 'object'" },
		{ "object o set\ncall A add 1",
		  "h:2: 'call' is followed by a thread, OBJECT.METHOD and arguments" },
		{ "object o set\ncall A o.put 1", "h:2: object set has no method 'put'" },
		{ "object o set\ncall A o.add", "h:2: add has 1 argument, not 0" },
		{ "object o set\ncall A o.add x", "h:2: 'x' is no integer, as 'v' must be" },
		{ "object o set\ncall A o.add 1\ncall A o.add 1",
		  "h:3: thread A has not returned from its call before" },
		{ "object o set\nreturn A", "h:2: thread A is in no call" },
		{ "object o set\ncall A o.add 1\nreturn A", "h:3: add has 1 result, not 0" },
		{ "object o set\ncall A o.add 1\nreturn A 1",
		  "h:3: '1' is not true or false, as 'changed' must be" },
	};
	struct spec s;
	read_spec(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct call_history h;
		struct err err = { "" };
		assert_int_equal(
			call_history_parse(&h, &s, "h", cases[i].text, strlen(cases[i].text), &err),
			-ERR_FORMAT);
		assert_string_equal(err.text, cases[i].error);
		call_history_release(&h);
	}
	spec_release(&s);
}

int main(void)
{
	RUN(cmocka_unit_test(orders_are_those_of_brute_force),
	    cmocka_unit_test(long_histories_are_fast), cmocka_unit_test(errors_have_a_line));
}
