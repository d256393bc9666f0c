/* SPDX-License-Identifier: Apache-2.0 */
/* The constructor of findings and its sentences; see finding.h. */
#include "report/finding.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* ---- the tables ---- */

static const char *const kind_names[] = {
#define FINDING_KIND(NAME, name) [FINDING_##NAME] = name,
#include "wire/finding.def"
};

static const struct {
	uint64_t number;
	enum finding_kind kind;
	const char *does, *sentence;
} failures[] = {
#define FAILURE(number, NAME, KIND, does, sentence) { number, FINDING_##KIND, does, sentence },
#include "wire/finding.def"
};

#define ROLES 3
static const struct {
	enum finding_kind kind;
	enum finding_role roles[ROLES];
	const char *sentence;
} sentences[] = {
#define FINDING(NAME, KIND, FIRST, SECOND, THIRD, sentence)                  \
	[SENTENCE_##NAME] = { FINDING_##KIND,                                \
			      { ROLE_##FIRST, ROLE_##SECOND, ROLE_##THIRD }, \
			      sentence },
#include "wire/finding.def"
};

static const char *const role_sentences[] = {
#define FINDING_ROLE(NAME, sentence) [ROLE_##NAME] = sentence,
#include "wire/finding.def"
};

static const struct {
	const char *infinitive, *does;
} acts[] = {
#define FINDING_ACT(NAME, word, infinitive, does) [ACT_##NAME] = { infinitive, does },
#include "wire/finding.def"
};

const char *finding_kind_name(enum finding_kind kind)
{
	return kind_names[kind];
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
	static const char *const words[] = {
#define FINDING_STATUS(NAME, word, meaning) word,
#include "report/words.def"
	};
	return words[status];
}

const char *finding_act_word(enum finding_act act)
{
	return acts[act].does;
}

static size_t index_of_failure(uint64_t failure)
{
	size_t i = 0;
	while (i < sizeof(failures) / sizeof(failures[0]) && failures[i].number != failure)
		i++;
	return i;
}

static bool is_failure(size_t index)
{
	return index < sizeof(failures) / sizeof(failures[0]);
}

int finding_kind_of_failure(uint64_t failure)
{
	size_t i = index_of_failure(failure);
	return is_failure(i) ? (int)failures[i].kind : -1;
}

const char *failure_sentence(uint64_t failure)
{
	size_t i = index_of_failure(failure);
	return is_failure(i) ? failures[i].sentence : NULL;
}

const char *failure_does(uint64_t failure)
{
	size_t i = index_of_failure(failure);
	return is_failure(i) ? failures[i].does : "is";
}

enum finding_role finding_role_of(enum finding_sentence sentence, size_t i)
{
	return i < ROLES ? sentences[sentence].roles[i] : ROLE_NONE;
}

/* ---- sentences ---- */

static void add_does(struct buf *out, enum finding_act act, bool is_atomic)
{
	buf_str(out, is_atomic ? "atomically " : "");
	buf_str(out, acts[act].does);
}

static void add_number(struct buf *out, char what, uint64_t n)
{
	if (what == 'n')
		buf_decimal(out, n);
	else if (what == 'p')
		buf_str(out, n == 1 ? "" : "s");
	else if (n)
		buf_printf(out, " (%llu bytes)", (unsigned long long)n);
}

void finding_fill(const char *sentence, const struct finding_words *w, struct buf *out)
{
	for (const char *s = sentence; *s; s++) {
		if (*s != '%' || !s[1]) {
			buf_char(out, *s);
			continue;
		}
		switch (*++s) {
		case 't':
			buf_str(out, w->thread ? w->thread : "the thread");
			break;
		case 'u':
			buf_str(out, w->other ? w->other : "another thread");
			break;
		case 'o':
			buf_str(out, w->object ? w->object : "the object");
			break;
		case 'v':
			buf_str(out, w->memory ? w->memory : "the object");
			break;
		case 'd':
			buf_str(out, acts[w->act].infinitive);
			break;
		case 'a':
			add_does(out, w->act, w->is_atomic);
			break;
		case 'b':
			add_does(out, w->other_act, w->other_is_atomic);
			break;
		case 's':
			buf_str(out, w->text ? w->text : "");
			break;
		default:
			add_number(out, *s, w->number);
			break;
		}
	}
}

static bool mentions(const char *sentence, const char *what)
{
	return strstr(sentence, what);
}

/* The sentence with the names of what it is about; only names that it mentions are made. */
static char *say(const char *sentence, const struct finding_about *a, struct names *names)
{
	struct buf thread = { 0 }, other = { 0 }, object = { 0 }, memory = { 0 }, out = { 0 };
	struct finding_words w = { .act = a->act,
				   .other_act = a->other_act,
				   .is_atomic = a->is_atomic,
				   .other_is_atomic = a->other_is_atomic,
				   .number = a->number,
				   .text = a->text };
	if (mentions(sentence, "%t") && a->thread != THR_NONE)
		names_thread(names, a->thread, &thread);
	if (mentions(sentence, "%u") && a->other != THR_NONE)
		names_thread(names, a->other, &other);
	if (mentions(sentence, "%o"))
		names_sync(names, a->object, &object);
	if (mentions(sentence, "%v"))
		names_object(names, a->object, &memory);
	w.thread = thread.at;
	w.other = other.at;
	w.object = object.at;
	w.memory = memory.at;
	finding_fill(sentence, &w, &out);
	buf_release(&thread);
	buf_release(&other);
	buf_release(&object);
	buf_release(&memory);
	return buf_take(&out);
}

/* ---- the constructor ---- */

void finding_add_place(struct finding *f, const struct finding_part *part, struct names *names)
{
	if (!part->at.is_known)
		return;
	struct finding_about about = part->about;
	about.thread = part->at.thread;
	struct finding_place place = { say(role_sentences[part->role], &about, names),
				       part->at.thread, part->at.loc, part->at.stack };
	vec_push(&f->places, place);
}

struct finding finding_make(const struct finding_input *in, struct names *names)
{
	int kind = in->failure ? finding_kind_of_failure(in->failure) : -1;
	const char *sentence =
		in->sentence ? sentences[in->sentence].sentence : failure_sentence(in->failure);
	if (!sentence)
		sentence = sentences[SENTENCE_UNKNOWN_FAILURE].sentence;
	struct finding f = { .failure = in->failure,
			     .status = in->status,
			     .event = in->event,
			     .count = in->count ? in->count : 1 };
	f.kind = kind >= 0 ? (enum finding_kind)kind : sentences[in->sentence].kind;
	if (kind < 0 && !in->sentence)
		f.kind = sentences[SENTENCE_UNKNOWN_FAILURE].kind;
	f.message = say(sentence, &in->about, names);
	if (in->about.object)
		vec_push(&f.objects, in->about.object);
	for (size_t i = 0; i < in->place_count; i++)
		finding_add_place(&f, &in->places[i], names);
	return f;
}

void finding_restate(struct finding *f, enum finding_sentence sentence,
		     const struct finding_about *about, struct names *names)
{
	mem_free(f->message);
	f->message = say(sentences[sentence].sentence, about, names);
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

/* ---- locks and waits ---- */

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
	struct buf what = { 0 };
	names_sync(names, obj, &what);
	unsigned mode = t->asked_obj ? SYNC_ANNOTATED : t->wait_mode;
	if (mode == SYNC_BARRIER)
		buf_printf(out, "waits at %s for %llu more thread%s", what.at,
			   (unsigned long long)(s ? s->missing : 0),
			   s && s->missing == 1 ? "" : "s");
	else if (mode == SYNC_RDLOCK || mode == SYNC_WRLOCK)
		buf_printf(out, "waits to %s %s", mode == SYNC_RDLOCK ? "read" : "write", what.at);
	else if (mode == SYNC_SEMAPHORE)
		buf_printf(out, "waits for a post of %s", what.at);
	else
		buf_printf(out, "waits for %s", what.at);
	buf_release(&what);
}

const char *finding_hold_words(const struct scene_lock *l)
{
	return l->mode == SYNC_RDLOCK	? " for reading"
	       : l->mode == SYNC_WRLOCK ? " for writing"
					: "";
}

void finding_note_locks(struct finding *f, struct names *names, thr_id t,
			const struct scene_lock *held, size_t count, uint64_t except)
{
	for (size_t i = 0; i < count; i++) {
		if (held[i].obj == except)
			continue;
		struct buf text = { 0 };
		const struct scene_place *at = &held[i].acquired;
		names_thread(names, t, &text);
		buf_str(&text, " holds ");
		names_sync(names, held[i].obj, &text);
		buf_str(&text, finding_hold_words(&held[i]));
		if (at->is_known) {
			buf_str(&text, " (acquired at ");
			names_place(names, names_own(names, at->loc, at->stack), &text);
			buf_char(&text, ')');
		}
		finding_add_note(f, "%s", text.at);
		buf_release(&text);
	}
}

/* ---- memory ---- */

void finding_pair_release(struct finding_pair *p)
{
	for (int i = 0; i < 2; i++) {
		mem_free(p->sides[i].file);
		mem_free(p->sides[i].function);
	}
}

void finding_release(struct finding *f)
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

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->list.len; i++)
		finding_release(&f->list.at[i]);
	vec_release(&f->list);
	map_release(&f->known);
}
