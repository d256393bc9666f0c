/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From failure events to findings; see finding.h.  The runtime tells what it saw in one event;
 * who did what before is in the scene.
 */
#include "report/finding.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/hash.h"

const char *finding_kind_name(enum finding_kind kind)
{
	switch (kind) {
#define FINDING_KIND(NAME, name) \
	case FINDING_##NAME:     \
		return name;
#include "wire/failure.def"
	}
	return "?";
}

int finding_kind_named(const char *name, size_t len)
{
	for (int k = 0; k < FINDING_KINDS; k++) {
		const char *word = finding_kind_name((enum finding_kind)k);
		if (strlen(word) == len && !memcmp(word, name, len))
			return k;
	}
	return -1;
}

const char *finding_status_name(enum finding_status status)
{
	static const char *const words[] = { "observed", "predicted", "confirmed", "potential" };
	return words[status];
}

static const struct {
	unsigned number;
	enum finding_kind kind;
	const char *sentence;
} failures[] = {
#define FAILURE(number, NAME, KIND, sentence) { number, FINDING_##KIND, sentence },
#include "wire/failure.def"
};

enum finding_kind finding_kind_of_failure(uint32_t failure)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].number == failure)
			return failures[i].kind;
	return FINDING_CRASH;
}

void finding_add_place(struct finding *f, const struct scene_place *p, const char *fmt, ...)
{
	if (!p->is_known)
		return;
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct finding_place place = { mem_strdup(text), p->thread, p->loc, p->stack };
	vec_push(&f->places, place);
}

void finding_add_note(struct finding *f, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&f->notes, mem_strdup(text));
}

char *finding_object_name(const struct scene *scene, struct names *names, uint64_t obj)
{
	struct buf b = { 0 };
	const struct scene_sync *s = scene_sync(scene, obj);
	buf_str(&b, s ? names_sync_mode(s->mode) : "");
	names_object(names, obj, &b);
	return buf_take(&b);
}

char *finding_thread_name(struct names *names, thr_id t)
{
	struct buf b = { 0 };
	names_thread(names, t, &b);
	return buf_take(&b);
}

void finding_add_wait(const struct scene *scene, struct names *names, const struct scene_thread *t,
		      struct buf *out)
{
	uint64_t obj = scene_awaited(t);
	if (!obj && t->doing == DOING_JOIN) {
		buf_str(out, "waits for ");
		names_thread(names, (thr_id)t->wait_obj, out);
		buf_str(out, " to end");
		return;
	}
	if (!obj && t->doing == DOING_IO) {
		buf_str(out, "waits for ");
		names_descriptor(t->wait_obj, t->wait_call, out);
		return;
	}
	if (!obj) {
		buf_str(out, "is blocked");
		return;
	}
	const struct scene_sync *s = scene_sync(scene, obj);
	char *what = finding_object_name(scene, names, obj);
	unsigned mode = t->asked_obj ? SYNC_ANNOTATED : t->wait_mode;
	if (mode == SYNC_BARRIER)
		buf_printf(out, "waits at %s for %llu more thread%s", what,
			   (unsigned long long)(s ? s->missing : 0),
			   s && s->missing == 1 ? "" : "s");
	else if (mode == SYNC_RDLOCK || mode == SYNC_WRLOCK)
		buf_printf(out, "waits to %s %s", mode == SYNC_RDLOCK ? "read" : "write", what);
	else if (mode == SYNC_SEMAPHORE)
		buf_printf(out, "waits for a post of %s", what);
	else
		buf_printf(out, "waits for %s", what);
	mem_free(what);
}

const char *finding_hold_words(const struct scene_lock *l)
{
	return l->mode == SYNC_RDLOCK	? " for reading"
	       : l->mode == SYNC_WRLOCK ? " for writing"
					: "";
}

void finding_note_locks(struct finding *f, const struct scene *scene, struct names *names, thr_id t,
			uint64_t except)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	for (size_t i = 0; thread && i < thread->held.len; i++) {
		const struct scene_lock *l = &thread->held.at[i];
		if (l->obj == except)
			continue;
		char *who = finding_thread_name(names, t),
		     *what = finding_object_name(scene, names, l->obj);
		struct buf where = { 0 };
		names_place(names, names_own(names, l->acquired.loc, l->acquired.stack), &where);
		finding_add_note(f, "%s holds %s%s (acquired at %s)", who, what,
				 finding_hold_words(l), where.at);
		buf_release(&where);
		mem_free(who);
		mem_free(what);
	}
}

static bool ends_with(const struct buf *b, const char *word)
{
	size_t len = strlen(word);
	return b->len >= len && !memcmp(b->at + b->len - len, word, len);
}

/*
 * The sentence of failure.def with %o, %t and %n filled in.  Names say by themselves what they
 * are names of, so the words "mutex" and "thread" before one are left out, and "the thread" at
 * the beginning gets its name.
 */
static char *fill_sentence(const char *sentence, const struct event *e, const struct scene *scene,
			   struct names *names)
{
	static const char subject[] = "the thread ";
	struct buf out = { 0 };
	if (!strncmp(sentence, subject, strlen(subject))) {
		names_thread(names, e->thread, &out);
		sentence += strlen(subject) - 1;
	}
	for (const char *s = sentence; *s; s++) {
		if (*s != '%') {
			buf_char(&out, *s);
			continue;
		}
		char *name = NULL;
		switch (*++s) {
		case 'o':
			name = finding_object_name(scene, names, e->obj);
			if (ends_with(&out, "mutex ") && !strncmp(name, "mutex ", 6))
				out.len -= 6;
			buf_str(&out, name);
			break;
		case 't':
			name = finding_thread_name(names, (thr_id)e->b);
			if (ends_with(&out, "thread "))
				out.len -= 7;
			buf_str(&out, name);
			break;
		default:
			buf_printf(&out, "%llu", (unsigned long long)e->b);
			break;
		}
		mem_free(name);
	}
	return buf_take(&out);
}

static struct scene_place here(const struct event *e)
{
	return (struct scene_place){ e->index, e->thread, e->loc, e->stack, true };
}

/* Where the block around an address was allocated and freed. */
static void explain_block(struct finding *f, const struct event *e, const struct scene *scene,
			  struct names *names)
{
	const struct scene_block *b = scene_block_around(scene, e->obj);
	if (!b)
		return;
	if (b->freed.is_known) {
		char *who = finding_thread_name(names, b->freed.thread);
		finding_add_place(f, &b->freed, "%s freed the block here", who);
		mem_free(who);
	}
	char *who = finding_thread_name(names, b->made.thread);
	finding_add_place(f, &b->made, "%s allocated its %llu bytes here", who,
			  (unsigned long long)b->size);
	mem_free(who);
	vec_push(&f->objects, b->start);
}

static void explain_lock(struct finding *f, const struct event *e, const struct scene *scene,
			 struct names *names)
{
	const struct scene_sync *s = scene_sync(scene, e->obj);
	thr_id owner = scene_owner(scene, e->obj);
	char *what = finding_object_name(scene, names, e->obj);
	if (owner != THR_NONE) {
		char *who = finding_thread_name(names, owner);
		const struct scene_lock *l = scene_held(scene_thread(scene, owner), e->obj);
		finding_add_place(f, &l->acquired, "%s holds %s%s, acquired here", who, what,
				  finding_hold_words(l));
		mem_free(who);
	} else if (s && s->last_owner != THR_NONE && !s->destroyed.is_known) {
		char *who = finding_thread_name(names, s->last_owner);
		finding_add_place(f, &s->released, "%s released %s here", who, what);
		mem_free(who);
	}
	if (s && s->destroyed.is_known) {
		char *who = finding_thread_name(names, s->destroyed.thread);
		finding_add_place(f, &s->destroyed, "%s destroyed %s here", who, what);
		mem_free(who);
	}
	if (s && s->made.is_known) {
		char *who = finding_thread_name(names, s->made.thread);
		finding_add_place(f, &s->made, "%s initialised %s here", who, what);
		mem_free(who);
	}
	mem_free(what);
}

/* "expr|file|line|function", where the expression may contain bars itself. */
static void explain_assertion(struct finding *f, const struct event *e)
{
	char *text = mem_strndup(e->data_len ? (const char *)e->data : "", e->data_len);
	char *end = text + strlen(text);
	for (int bars = 0; end > text && bars < 3;)
		if (*--end == '|')
			bars++;
	if (*end == '|')
		*end = 0;
	if (text[0]) {
		mem_free(f->message);
		struct buf b = { 0 };
		buf_printf(&b, "'%s' does not hold", text);
		f->message = buf_take(&b);
	}
	mem_free(text);
}

/* "mangled type|what() of a std::exception". */
static void explain_exception(struct finding *f, const struct event *e, const struct scene *scene,
			      struct names *names)
{
	char *text = mem_strndup(e->data_len ? (const char *)e->data : "", e->data_len);
	char *what = strchr(text, '|');
	if (what)
		*what++ = 0;
	char *type = demangle(text);
	struct buf b = { 0 };
	buf_printf(&b, "an exception of type %s is not caught", type);
	if (what && *what)
		buf_printf(&b, ": %s", what);
	mem_free(f->message);
	f->message = buf_take(&b);
	const struct scene_place *thrown = scene_throw(scene, e->obj);
	if (thrown && (thrown->loc != e->loc || thrown->thread != e->thread)) {
		char *who = finding_thread_name(names, thrown->thread);
		finding_add_place(f, thrown, "%s threw it here", who);
		mem_free(who);
	}
	mem_free(type);
	mem_free(text);
}

static void explain_mismatch(struct finding *f, const struct event *e, const struct scene *scene,
			     struct names *names)
{
	static const char *const makers[] = { "malloc", "new", "new[]" };
	static const char *const releasers[] = { "free", "delete", "delete[]" };
	uint64_t made = e->b >> 8, released = e->b & 0xff;
	if (made < 3 && released < 3) {
		struct buf b = { 0 };
		buf_printf(&b, "a block that was allocated by %s is released by %s", makers[made],
			   releasers[released]);
		mem_free(f->message);
		f->message = buf_take(&b);
	}
	explain_block(f, e, scene, names);
}

/* Whose frame it was, and what that thread does now. */
static void explain_left_frame(struct finding *f, const struct scene *scene, struct names *names)
{
	const struct scene_thread *owner = scene_thread(scene, scene->left_by);
	char *who = finding_thread_name(names, scene->left_by);
	finding_add_place(f, &scene->left, "it was a variable of this function, which %s has left",
			  who);
	if (owner && owner->doing == DOING_END)
		finding_add_note(f, "%s, on whose stack it was, has ended", who);
	else
		finding_add_note(f, "it was on the stack of %s", who);
	mem_free(who);
}

static void explain_crash(struct finding *f, const struct event *e)
{
	const char *name = e->b < 65 ? sigabbrev_np((int)e->b) : NULL;
	struct buf b = { 0 };
	buf_printf(&b, "the program was killed by SIG%s", name ? name : "nal");
	if (e->b == SIGSEGV || e->b == SIGBUS)
		buf_printf(&b, " for an access to address 0x%llx", (unsigned long long)e->obj);
	mem_free(f->message);
	f->message = buf_take(&b);
}

/* Where everybody is: for a run that did not end. */
static void explain_threads(struct finding *f, const struct event *e, const struct scene *scene,
			    struct names *names)
{
	for (thr_id t = 0; t < scene->threads.len; t++) {
		const struct scene_thread *thread = &scene->threads.at[t];
		if (t == e->thread || thread->doing == DOING_NOTHING || thread->doing == DOING_END)
			continue;
		char *who = finding_thread_name(names, t);
		finding_add_place(f, &thread->last, "%s is here", who);
		mem_free(who);
	}
}

/* What the thread of the failure does at its place. */
static const char *verb_of(uint64_t failure)
{
	switch (failure) {
	case FAILURE_ASSERTION:
	case FAILURE_ABORT:
		return "gives up";
	case FAILURE_EXCEPTION:
		return "throws it";
	case FAILURE_TERMINATE:
		return "gives up";
	case FAILURE_SIGNAL:
	case FAILURE_STACK_OVERFLOW:
		return "crashes";
	case FAILURE_READ_FREED:
		return "reads it";
	case FAILURE_WRITE_FREED:
		return "writes it";
	case FAILURE_READ_LEFT:
		return "reads it";
	case FAILURE_WRITE_LEFT:
		return "writes it";
	case FAILURE_DOUBLE_FREE:
	case FAILURE_INVALID_FREE:
		return "frees it";
	case FAILURE_FREE_MISMATCH:
		return "releases it";
	case FAILURE_GUARD_RECURSION:
		return "enters it again";
	case FAILURE_FREE_LOCKED:
		return "frees the memory";
	case FAILURE_UNLOCK_FREE:
	case FAILURE_UNLOCK_OTHER:
		return "unlocks it";
	case FAILURE_DESTROY_HELD:
	case FAILURE_DESTROY_WAITED:
		return "destroys it";
	case FAILURE_USE_DESTROYED:
		return "uses it";
	case FAILURE_RELOCK:
		return "locks it again";
	case FAILURE_UPGRADE:
		return "asks to write it";
	case FAILURE_REINIT_USED:
		return "initialises it";
	case FAILURE_UNINITIALISED:
		return "uses it";
	case FAILURE_EXIT_HOLDING:
		return "ends";
	case FAILURE_STEP_LIMIT:
		return "runs";
	case FAILURE_WAIT_UNLOCKED:
		return "waits";
	default:
		return "is";
	}
}

static void explain(struct finding *f, const struct event *e, const struct scene *scene,
		    struct names *names)
{
	struct scene_place at = here(e);
	if (e->a == FAILURE_DEADLOCK || e->a == FAILURE_LOCK_CYCLE) {
		finding_explain_deadlock(f, scene, names);
		return;
	}
	if (e->a == FAILURE_LIVELOCK) {
		finding_explain_livelock(f, scene, names);
		return;
	}
	char *who = finding_thread_name(names, e->thread);
	finding_add_place(f, &at, "%s %s here", who, verb_of(e->a));
	switch (e->a) {
	case FAILURE_ASSERTION:
		explain_assertion(f, e);
		break;
	case FAILURE_SIGNAL:
		explain_crash(f, e);
		break;
	case FAILURE_READ_FREED:
	case FAILURE_WRITE_FREED:
	case FAILURE_DOUBLE_FREE:
	case FAILURE_INVALID_FREE:
		explain_block(f, e, scene, names);
		break;
	case FAILURE_READ_LEFT:
	case FAILURE_WRITE_LEFT:
		explain_left_frame(f, scene, names);
		break;
	case FAILURE_FREE_MISMATCH:
		explain_mismatch(f, e, scene, names);
		break;
	case FAILURE_EXCEPTION:
		explain_exception(f, e, scene, names);
		break;
	case FAILURE_STEP_LIMIT:
		explain_threads(f, e, scene, names);
		break;
	case FAILURE_ABORT:
	case FAILURE_STACK_OVERFLOW:
	case FAILURE_TERMINATE:
		break;
	default:
		explain_lock(f, e, scene, names);
		break;
	}
	finding_note_locks(f, scene, names, e->thread, e->obj);
	mem_free(who);
}

void finding_pair_release(struct finding_pair *p)
{
	for (int i = 0; i < 2; i++) {
		mem_free(p->sides[i].file);
		mem_free(p->sides[i].function);
	}
}

static void finding_release(struct finding *f)
{
	for (size_t i = 0; i < f->places.len; i++)
		mem_free(f->places.at[i].role);
	for (size_t i = 0; i < f->notes.len; i++)
		mem_free(f->notes.at[i]);
	for (size_t i = 0; i < f->pairs.len; i++)
		finding_pair_release(&f->pairs.at[i]);
	vec_release(&f->pairs);
	vec_release(&f->places);
	vec_release(&f->notes);
	vec_release(&f->objects);
	vec_release(&f->steps.events);
	mem_free(f->identity);
	mem_free(f->message);
	mem_free(f->witness);
}

static bool is_same(const struct finding *x, const struct finding *y)
{
	if (x->kind != y->kind || x->places.len != y->places.len)
		return false;
	for (size_t i = 0; i < x->places.len; i++)
		if (x->places.at[i].loc != y->places.at[i].loc)
			return false;
	return true;
}

static uint64_t failure_hash(const struct event *e)
{
	uint64_t parts[] = { e->a, e->b, e->obj, e->loc, e->stack, e->thread };
	return hash_bytes(hash_bytes(0, e->data, e->data_len), parts, sizeof(parts));
}

void findings_add_failure(struct findings *list, const struct event *e, const struct scene *scene,
			  struct names *names)
{
	/* A program that goes wrong in a loop fails a million times: the same words are not made
	 * again. */
	bool is_new;
	uint64_t *told = map_put(&list->told, failure_hash(e), &is_new);
	if (!is_new) {
		list->list.at[*told - 1].count++;
		return;
	}
	struct finding f = {
		.kind = FINDING_CRASH, .failure = (uint32_t)e->a, .event = e->index, .count = 1
	};
	const char *sentence =
		"the program failed in a way that this heddle does not know (number %n)";
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (failures[i].number == e->a) {
			f.kind = failures[i].kind;
			sentence = failures[i].sentence;
		}
	}
	f.message = fill_sentence(sentence, e, scene, names);
	if (e->obj)
		vec_push(&f.objects, e->obj);
	explain(&f, e, scene, names);
	for (size_t i = 0; i < list->list.len; i++) {
		if (is_same(&list->list.at[i], &f)) {
			list->list.at[i].count++;
			*told = i + 1;
			finding_release(&f);
			return;
		}
	}
	scene_last_steps(scene, &f.steps);
	vec_push(&list->list, f);
	*told = list->list.len;
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->list.len; i++)
		finding_release(&f->list.at[i]);
	vec_release(&f->list);
	map_release(&f->told);
}
