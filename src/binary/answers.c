/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See answers.h.  An answer is followed from the call that gives it (taint.h).
 *
 * A store of the answer must have a hook, called since the choice, that tells of as many bytes; all hooks of
 * that size among the last ones on the way count, so one that tells of another store may be among them.
 * Compilers put a write hook directly in front of its store, or one hook before it (late.h).
 *
 * Which answer is stored?  The last one that the thread got from this call, unless the way leads through the
 * call again, or through a function that may: those that are known to run nothing of the program are named
 * here.  Handlers of signals may come at any place, so programs that install some are left alone.
 */
#include "binary/answers.h"

#include <string.h>

#include "binary/nondet_table.h"
#include "binary/taint.h"

#define RAX_BIT 1u

struct search {
	struct calls calls;
	struct map choices;	/* addresses of the functions that choose */
	struct map leaves;
	uint64_t source;
	struct answers *out;
	VEC(struct answer_store) stores;	/* of the call that is looked at */
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
		"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_spin_lock",
		"pthread_spin_trylock", "pthread_spin_unlock", "pthread_rwlock_rdlock",
		"pthread_rwlock_wrlock", "pthread_rwlock_unlock", "sem_wait", "sem_trywait", "sem_post",
		"sched_yield", "heddle_assume", "__VERIFIER_assume", "__VERIFIER_atomic_begin",
		"__VERIFIER_atomic_end",
	};
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		if (!strcmp(name, leaves[i]))
			return true;
	return is_choice(name);
}

/* The runtime's own: a program may have others of these names. */
static void find_functions(struct search *s)
{
	const struct image *img = s->calls.img;
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *sym = &img->symbols.at[i];
		if (!sym->is_defined || !is_leaf(sym->name) || !image_is_in_runtime(img, sym->address))
			continue;
		map_put(&s->leaves, sym->address, NULL);
		if (is_choice(sym->name))
			map_put(&s->choices, sym->address, NULL);
	}
}

static bool installs_handlers(const struct search *s)
{
	static const char *const names[] = { "sigaction", "signal", "sigset", "bsd_signal", "sysv_signal",
					     "__sysv_signal" };
	const struct image *img = s->calls.img;
	struct map functions = {0};
	struct sym_instruction in;
	struct code code;
	bool does = false;
	for (size_t i = 0; i < img->symbols.len; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (img->symbols.at[i].is_defined && !strcmp(img->symbols.at[i].name, names[k]))
				map_put(&functions, img->symbols.at[i].address, NULL);
	for (size_t i = 1; i < img->sections.len && !does; i++) {
		if (!calls_are_in(&s->calls, i) || !code_of_section(&code, &s->calls.decoder, img, i))
			continue;
		for (uint64_t at = code.start; at < code.end && !does; at += in.base.length) {
			if (!code_decode(&code, at, code.end, &in)) {
				in.base.length = 1;
				continue;
			}
			uint64_t target = code_refers_to(&in);
			does = target && map_get(&functions, target);
		}
	}
	map_release(&functions);
	return does;
}

/* ---- one call ---- */

static bool note_store(void *ctx, const struct taint *t, unsigned size)
{
	struct search *s = ctx;
	bool has_hook = false;
	for (unsigned i = 0; i < t->writes_count; i++) {
		struct answer_store store = { s->source, t->writes[i].behind, !t->may_be_older };
		if (t->writes[i].size && t->writes[i].size != size)
			continue;
		has_hook = true;
		size_t k = 0;
		while (k < s->stores.len && s->stores.at[k].write != store.write)
			k++;
		if (k < s->stores.len)
			s->stores.at[k].is_of_last &= store.is_of_last;
		else
			vec_push(&s->stores, store);
	}
	return has_hook;
}

static void look_at_call(struct search *s, struct taint_walk *w, uint64_t behind)
{
	struct taint answer = { .where = behind, .registers = RAX_BIT, .is_loaded = true, .is_behind = true };
	s->source = w->source = behind;
	s->stores.len = 0;
	if (!taint_goes_nowhere(w, &answer))
		return;
	vec_push(&s->out->choices.list, behind);
	for (size_t i = 0; i < s->stores.len; i++)
		vec_push(&s->out->stores, s->stores.at[i]);
}

static void look_at_function(struct search *s, const struct code *code, uint64_t start, uint64_t end)
{
	struct taint_walk w = { .calls = &s->calls, .code = code, .end = end, .store = note_store, .ctx = s,
				.leaves = &s->leaves };
	struct sym_instruction in;
	bool has_begun = false;
	for (uint64_t at = start; at < end && code_decode(code, at, end, &in); at += in.base.length) {
		if (!code_is_call(&in) || !code_is_direct(&in) || !map_get(&s->choices, code_target(&in)))
			continue;
		if (!has_begun && !taint_begin(&w, start))
			break;
		has_begun = true;
		look_at_call(s, &w, at + in.base.length);
	}
	taint_end(&w);
}

static void look_at_section(struct search *s, size_t section)
{
	struct code code;
	struct addresses starts = {0};
	if (!calls_are_in(&s->calls, section) ||
	    !code_of_section(&code, &s->calls.decoder, s->calls.img, section))
		return;
	code_functions(&code, s->calls.img, &starts);
	for (size_t k = 0; k < starts.list.len; k++)
		look_at_function(s, &code, starts.list.at[k],
				 k + 1 < starts.list.len ? starts.list.at[k + 1] : code.end);
	vec_release(&starts.list);
}

/* ---- all of them ---- */

int answers_find(const struct image *img, struct answers *out, struct err *err)
{
	struct search s = { .out = out };
	int rc = calls_open(&s.calls, img, err);
	if (rc)
		return rc;
	find_functions(&s);
	bool is_understood = s.choices.len && !installs_handlers(&s) && !taint_has_odd_ways(&s.calls);
	for (size_t i = 1; i < img->sections.len && is_understood; i++)
		look_at_section(&s, i);
	addresses_sort(&out->choices);
	calls_close(&s.calls);
	map_release(&s.choices);
	map_release(&s.leaves);
	vec_release(&s.stores);
	return 0;
}

void answers_release(struct answers *a)
{
	vec_release(&a->choices.list);
	vec_release(&a->stores);
}
