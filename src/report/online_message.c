/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of wire/run.h; see online_message.h.  Lines that say nothing known are left out. */
#include "report/online_message.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 8
#define MODULES_MAX 4096
#define FRAMES_MAX 256

struct line {
	const char *word[WORDS]; /* not terminated */
	size_t len[WORDS];
	size_t count;
};

static struct line split(const char *text, size_t len)
{
	struct line l = { 0 };
	const char *end = text + len;
	while (l.count < WORDS) {
		const char *blank = memchr(text, ' ', (size_t)(end - text));
		/* The last word of a line may have blanks in it: a path, a name. */
		const char *stop = blank && l.count + 1 < WORDS ? blank : end;
		l.word[l.count] = text;
		l.len[l.count++] = (size_t)(stop - text);
		if (stop == end)
			break;
		text = stop + 1;
	}
	return l;
}

static bool is_word(const struct line *l, size_t i, const char *word)
{
	return i < l->count && l->len[i] == strlen(word) && !memcmp(l->word[i], word, l->len[i]);
}

static uint64_t number(const struct line *l, size_t i)
{
	uint64_t n = 0;
	for (size_t k = 0; i < l->count && k < l->len[i]; k++) {
		char c = l->word[i][k];
		n = n << 4 | (uint64_t)(c >= 'a' && c <= 'f'   ? c - 'a' + 10
					: c >= '0' && c <= '9' ? c - '0'
							       : 0);
	}
	return n;
}

static char *word(const struct line *l, size_t i)
{
	return i < l->count ? mem_strndup(l->word[i], l->len[i]) : mem_strdup("");
}

/* From the i-th word to the end of the line. */
static char *rest(const struct line *l, size_t i, const char *end)
{
	return i < l->count ? mem_strndup(l->word[i], (size_t)(end - l->word[i])) : mem_strdup("");
}

static void add_module(struct message *m, const struct line *l, const char *end)
{
	uint64_t n = number(l, 1);
	if (n >= MODULES_MAX)
		return;
	vec_grow_zeroed(&m->modules, (size_t)n + 1);
	struct message_module *module = &m->modules.at[n];
	mem_free(module->path);
	*module = (struct message_module){ number(l, 2), number(l, 3), rest(l, 4, end) };
}

static void add_frame(struct message *m, struct message_stack *s, const struct line *l)
{
	uint64_t n = number(l, 1);
	if (!s || n >= m->modules.len || !m->modules.at[n].path || s->frames.len >= FRAMES_MAX)
		return;
	struct message_frame f = { (size_t)n, number(l, 2) };
	vec_push(&s->frames, f);
}

static void add_line(struct message *m, const struct line *l, const char *end,
		     struct message_stack **s)
{
	struct message_act *last = m->acts.len ? &vec_last(&m->acts) : NULL;
	if (is_word(l, 0, "object") && !m->object) {
		m->object = word(l, 1);
	} else if (is_word(l, 0, "module")) {
		add_module(m, l, end);
	} else if (is_word(l, 0, "at")) {
		add_frame(m, *s, l);
	} else if (is_word(l, 0, "act")) {
		struct message_act a = { .thread = number(l, 2),
					 .act = word(l, 3),
					 .is_atomic = number(l, 4),
					 .address = number(l, 5),
					 .size = number(l, 6) };
		vec_push(&m->acts, a);
		*s = &vec_last(&m->acts).stack;
	} else if (is_word(l, 0, "lock") && last) {
		struct message_lock k = { .address = number(l, 1),
					  .is_write = number(l, 2),
					  .kind = word(l, 3) };
		vec_push(&last->locks, k);
		*s = &vec_last(&last->locks).stack;
	} else if (is_word(l, 0, "wait") && last && !last->wait_kind) {
		last->wait_object = number(l, 1);
		last->wait_kind = word(l, 2);
		last->wait_holder = number(l, 3);
	} else if (is_word(l, 0, "text") && !m->text) {
		m->text = rest(l, 1, end);
	} else if (is_word(l, 0, "more")) {
		m->more = number(l, 1);
	} else if (is_word(l, 0, "thread")) {
		struct message_thread t = { .number = number(l, 1),
					    .creator = number(l, 2),
					    .name = rest(l, 3, end) };
		vec_push(&m->threads, t);
		*s = &vec_last(&m->threads).stack;
	} else if (is_word(l, 0, "block") && !m->block.size) {
		m->block.start = number(l, 1);
		m->block.size = number(l, 2);
		m->block.thread = number(l, 3);
		m->block.is_freed = number(l, 4);
		*s = &m->block.stack;
	}
}

bool message_parse(struct message *m, const char *text, size_t len)
{
	*m = (struct message){ 0 };
	struct message_stack *s = NULL;
	const char *end = text + len;
	for (size_t n = 0; text < end; n++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			return false;
		struct line l = split(text, (size_t)(newline - text));
		if (!n) {
			if (!is_word(&l, 0, "found"))
				return false;
			m->kind = word(&l, 1);
			m->status = word(&l, 2);
			m->is_locked = number(&l, 3);
			m->address = number(&l, 4);
			m->size = number(&l, 5);
			m->pid = number(&l, 6);
		} else if (is_word(&l, 0, "end")) {
			return true;
		} else {
			add_line(m, &l, newline, &s);
		}
		text = newline + 1;
	}
	return false;
}

void message_release(struct message *m)
{
	mem_free(m->kind);
	mem_free(m->status);
	mem_free(m->object);
	mem_free(m->text);
	for (size_t i = 0; i < m->modules.len; i++)
		mem_free(m->modules.at[i].path);
	for (size_t i = 0; i < m->acts.len; i++) {
		struct message_act *a = &m->acts.at[i];
		for (size_t k = 0; k < a->locks.len; k++) {
			mem_free(a->locks.at[k].kind);
			vec_release(&a->locks.at[k].stack.frames);
		}
		vec_release(&a->locks);
		vec_release(&a->stack.frames);
		mem_free(a->act);
		mem_free(a->wait_kind);
	}
	for (size_t i = 0; i < m->threads.len; i++) {
		mem_free(m->threads.at[i].name);
		vec_release(&m->threads.at[i].stack.frames);
	}
	vec_release(&m->block.stack.frames);
	vec_release(&m->modules);
	vec_release(&m->acts);
	vec_release(&m->threads);
}
