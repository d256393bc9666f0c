/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See choice_flow.h.  The value is followed from the call that returns it (taint.h).
 *
 * Which hook reports a store of the value?  Compilers put a write hook directly in front of its
 * store, or one hook earlier (late.h).  So all write hooks of the store's size among the last
 * ones on the path since the choice are taken.  One of them may report another store: the result
 * is an over-approximation.  A store without any such hook counts as a use of the value.
 *
 * Which value is stored?  The latest one that the thread got from this call, unless the path goes
 * through the call again, or through a function that may do so.  Functions that are known not to
 * call code of the program are listed in is_leaf().  Signal handlers may run at any place, so
 * programs that install handlers are not analysed.
 */
#include "binary/choice_flow.h"

#include <string.h>

#include "binary/irregular.h"
#include "binary/nondet_table.h"
#include "binary/taint.h"

#define RAX_BIT 1u

struct search {
	struct calls calls;
	struct map choices; /* addresses of the choice functions */
	struct map leaves;  /* addresses of functions that call no code of the program */
	uint64_t source;    /* address after the call that is analysed */
	struct choice_flow *out;
	VEC(struct choice_store) stores; /* of the call that is analysed */
};

static bool is_choice(const char *name)
{
	for (unsigned i = 0; i < nondet_functions(); i++)
		if (!strcmp(name, nondet_function(i)))
			return true;
	return !strcmp(name, "heddle_choose") || !strcmp(name, NONDET_PREFIX "bool");
}

static bool is_leaf(const char *name)
{
	static const char *const leaves[] = {
		"pthread_mutex_lock",	 "pthread_mutex_trylock",
		"pthread_mutex_unlock",	 "pthread_spin_lock",
		"pthread_spin_trylock",	 "pthread_spin_unlock",
		"pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
		"pthread_rwlock_unlock", "sem_wait",
		"sem_trywait",		 "sem_post",
		"sched_yield",		 "heddle_assume",
		"__VERIFIER_assume",	 "__VERIFIER_atomic_begin",
		"__VERIFIER_atomic_end",
	};
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		if (!strcmp(name, leaves[i]))
			return true;
	return is_choice(name);
}

/* Only those of the runtime: a program may define other functions of these names. */
static void find_functions(struct search *s)
{
	const struct image *img = s->calls.img;
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *sym = &img->symbols.at[i];
		if (!sym->is_defined || !is_leaf(sym->name) ||
		    !image_is_in_runtime(img, sym->address))
			continue;
		map_put(&s->leaves, sym->address, NULL);
		if (is_choice(sym->name))
			map_put(&s->choices, sym->address, NULL);
	}
}

static bool installs_handlers(const struct search *s)
{
	static const char *const names[] = { "sigaction",  "signal",	  "sigset",
					     "bsd_signal", "sysv_signal", "__sysv_signal" };
	const struct image *img = s->calls.img;
	struct map functions = { 0 };
	struct sym_instruction in;
	struct code code;
	bool found = false;
	for (size_t i = 0; i < img->symbols.len; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (img->symbols.at[i].is_defined &&
			    !strcmp(img->symbols.at[i].name, names[k]))
				map_put(&functions, img->symbols.at[i].address, NULL);
	for (size_t i = 1; i < img->sections.len && !found; i++) {
		if (!calls_covers_section(&s->calls, i) ||
		    !code_of_section(&code, &s->calls.decoder, img, i))
			continue;
		for (uint64_t at = code.start; at < code.end && !found; at += in.base.length) {
			if (!code_decode(&code, at, code.end, &in)) {
				in.base.length = 1;
				continue;
			}
			uint64_t target = code_refers_to(&in);
			found = target && map_get(&functions, target);
		}
	}
	map_release(&functions);
	return found;
}

/* ---- one call ---- */

/* Record the write hooks that may report this store; false if there is none. */
static bool note_store(void *ctx, const struct taint *t, unsigned size)
{
	struct search *s = ctx;
	bool has_hook = false;
	for (unsigned i = 0; i < t->writes_count; i++) {
		struct choice_store store = { s->source, t->writes[i].after, !t->may_be_stale };
		if (t->writes[i].size && t->writes[i].size != size)
			continue;
		has_hook = true;
		size_t k = 0;
		while (k < s->stores.len && s->stores.at[k].write != store.write)
			k++;
		if (k < s->stores.len)
			s->stores.at[k].is_latest &= store.is_latest;
		else
			vec_push(&s->stores, store);
	}
	return has_hook;
}

static void analyse_call(struct search *s, struct taint_walk *w, uint64_t after)
{
	struct taint value = {
		.where = after, .registers = RAX_BIT, .is_loaded = true, .has_passed_call = true
	};
	s->source = w->source = after;
	s->stores.len = 0;
	if (!taint_is_unused(w, &value))
		return;
	vec_push(&s->out->choices.list, after);
	for (size_t i = 0; i < s->stores.len; i++)
		vec_push(&s->out->stores, s->stores.at[i]);
}

static void analyse_function(struct search *s, const struct code *code, uint64_t start,
			     uint64_t end)
{
	struct taint_walk w = { .calls = &s->calls,
				.code = code,
				.end = end,
				.store = note_store,
				.ctx = s,
				.leaves = &s->leaves };
	struct sym_instruction in;
	bool has_begun = false;
	for (uint64_t at = start; at < end && code_decode(code, at, end, &in);
	     at += in.base.length) {
		if (!code_is_call(&in) || !code_is_direct(&in) ||
		    !map_get(&s->choices, code_target(&in)))
			continue;
		if (!has_begun && !taint_begin(&w, start))
			break;
		has_begun = true;
		analyse_call(s, &w, at + in.base.length);
	}
	taint_end(&w);
}

static void analyse_section(struct search *s, size_t section)
{
	struct code code;
	struct addresses starts = { 0 };
	if (!calls_covers_section(&s->calls, section) ||
	    !code_of_section(&code, &s->calls.decoder, s->calls.img, section))
		return;
	code_functions(&code, s->calls.img, &starts);
	for (size_t k = 0; k < starts.list.len; k++)
		analyse_function(s, &code, starts.list.at[k],
				 k + 1 < starts.list.len ? starts.list.at[k + 1] : code.end);
	vec_release(&starts.list);
}

/* ---- the program ---- */

int choice_flow_find(const struct image *img, struct choice_flow *out, struct err *err)
{
	struct search s = { .out = out };
	int rc = calls_open(&s.calls, img, err);
	if (rc)
		return rc;
	find_functions(&s);
	bool is_analysable =
		s.choices.len && !installs_handlers(&s) && !irregular_control_flow(&s.calls);
	for (size_t i = 1; i < img->sections.len && is_analysable; i++)
		analyse_section(&s, i);
	addresses_sort(&out->choices);
	calls_close(&s.calls);
	map_release(&s.choices);
	map_release(&s.leaves);
	vec_release(&s.stores);
	return 0;
}

void choice_flow_release(struct choice_flow *a)
{
	vec_release(&a->choices.list);
	vec_release(&a->stores);
}
