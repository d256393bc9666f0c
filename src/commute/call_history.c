/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading histories.  A line is a list of words:
 *
 *   object NAME KIND                  an instance of an object of the specification
 *   call THREAD NAME.METHOD ARG...    a thread calls a method
 *   return THREAD RESULT...           its call returns
 */
#include "commute/call_history.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

#define WORDS_MAX (3 + SPEC_FIELDS_MAX)
#define CALLS_MAX 1000000

struct line {
	struct call_history *history;
	const struct spec *spec;
	const char *path;
	unsigned number;
	char *words[WORDS_MAX + 1];
	size_t count;
	struct err *err;
};

static int fail(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct line *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(l->err, ERR_FORMAT, "%s:%u: %s", l->path, l->number, text);
}

/* ---- names ---- */

static uint32_t thread_named(struct call_history *h, const char *name)
{
	for (uint32_t i = 0; i < h->threads.len; i++)
		if (!strcmp(h->threads.at[i], name))
			return i;
	vec_push(&h->threads, mem_strdup(name));
	return (uint32_t)h->threads.len - 1;
}

static struct history_instance *instance_named(struct call_history *h, const char *name, size_t len)
{
	for (size_t i = 0; i < h->instances.len; i++) {
		struct history_instance *o = &h->instances.at[i];
		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	}
	return NULL;
}

static struct history_instance *add_instance(struct call_history *h, const char *name, size_t len,
					     const struct spec_object *object)
{
	struct history_instance *o = vec_add(&h->instances);
	o->name = mem_zero(len + 1, 1);
	memcpy(o->name, name, len);
	o->object = object;
	return o;
}

/* The call of that thread that has not returned; NULL: there is none. */
static struct history_call *open_call(struct call_history *h, uint32_t thread)
{
	for (size_t i = h->calls.len; i-- > 0;)
		if (h->calls.at[i].thread == thread)
			return h->calls.at[i].end == HISTORY_PENDING ? &h->calls.at[i] : NULL;
	return NULL;
}

/* ---- lines ---- */

static int take_value(struct line *l, const struct spec_variable *v, const char *word,
		      int64_t *value)
{
	char *end;
	if (v->type == SPEC_BOOL) {
		*value = !strcmp(word, "true");
		if (!*value && strcmp(word, "false") != 0)
			return fail(l, "'%.60s' is not true or false, as '%s' must be", word,
				    v->name);
		return 0;
	}
	errno = 0;
	long long n = strtoll(word, &end, 10);
	if (errno || end == word || *end)
		return fail(l, "'%.60s' is no integer, as '%s' must be", word, v->name);
	*value = n;
	return 0;
}

static int take_object(struct line *l)
{
	struct call_history *h = l->history;
	if (l->count != 3)
		return fail(l, "'object' is followed by a name and the object that it is");
	if (instance_named(h, l->words[1], strlen(l->words[1])))
		return fail(l, "'%.60s' is there already", l->words[1]);
	for (size_t i = 0; i < l->spec->objects.len; i++)
		if (!strcmp(l->spec->objects.at[i].name, l->words[2])) {
			add_instance(h, l->words[1], strlen(l->words[1]), &l->spec->objects.at[i]);
			return 0;
		}
	return fail(l, "%s specifies no object '%.60s'", l->spec->path, l->words[2]);
}

static int take_call(struct line *l)
{
	struct call_history *h = l->history;
	const char *dot = l->count > 2 ? strchr(l->words[2], '.') : NULL;
	if (!dot)
		return fail(l, "'call' is followed by a thread, OBJECT.METHOD and arguments");
	size_t len = (size_t)(dot - l->words[2]);
	struct history_instance *o = instance_named(h, l->words[2], len);
	if (!o && l->spec->objects.len == 1)
		o = add_instance(h, l->words[2], len, &l->spec->objects.at[0]);
	if (!o)
		return fail(l, "what '%.*s' is must be said before, by a line 'object'", (int)len,
			    l->words[2]);
	struct history_call c = { .thread = thread_named(h, l->words[1]),
				  .instance = (uint32_t)(o - h->instances.at),
				  .begin = h->moments++,
				  .end = HISTORY_PENDING };
	while (c.method < o->object->methods.len &&
	       strcmp(o->object->methods.at[c.method].name, dot + 1) != 0)
		c.method++;
	if (c.method == o->object->methods.len)
		return fail(l, "object %s has no method '%.60s'", o->object->name, dot + 1);
	if (open_call(h, c.thread))
		return fail(l, "thread %s has not returned from its call before", l->words[1]);
	const struct spec_method *m = &o->object->methods.at[c.method];
	if (l->count - 3 != m->parameters)
		return fail(l, "%s has %u argument%s, not %zu", m->name, m->parameters,
			    m->parameters == 1 ? "" : "s", l->count - 3);
	int rc = 0;
	for (size_t i = 0; i < m->parameters && !rc; i++)
		rc = take_value(l, &m->fields.at[i], l->words[3 + i], &c.fields[i]);
	vec_push(&h->calls, c);
	return rc;
}

static int take_return(struct line *l)
{
	struct call_history *h = l->history;
	struct history_call *c = l->count > 1 ? open_call(h, thread_named(h, l->words[1])) : NULL;
	if (l->count < 2)
		return fail(l, "'return' is followed by a thread and results");
	if (!c)
		return fail(l, "thread %.60s is in no call", l->words[1]);
	const struct spec_method *m = history_method(h, c);
	size_t results = m->fields.len - m->parameters;
	if (l->count - 2 != results)
		return fail(l, "%s has %zu result%s, not %zu", m->name, results,
			    results == 1 ? "" : "s", l->count - 2);
	int rc = 0;
	for (size_t i = 0; i < results && !rc; i++)
		rc = take_value(l, &m->fields.at[m->parameters + i], l->words[2 + i],
				&c->fields[m->parameters + i]);
	c->end = h->moments++;
	return rc;
}

/* Takes the line apart, which it changes. */
static int take_line(struct line *l, char *text)
{
	char *at = NULL;
	l->count = 0;
	for (char *word = strtok_r(text, " \t\r", &at); word && *word != '#';
	     word = strtok_r(NULL, " \t\r", &at)) {
		if (l->count == WORDS_MAX)
			return fail(l, "the line has too many words");
		l->words[l->count++] = word;
	}
	if (!l->count)
		return 0;
	if (l->history->calls.len >= CALLS_MAX)
		return fail(l, "there are more than %d calls", CALLS_MAX);
	if (!strcmp(l->words[0], "object"))
		return take_object(l);
	if (!strcmp(l->words[0], "call"))
		return take_call(l);
	if (!strcmp(l->words[0], "return"))
		return take_return(l);
	return fail(l, "a line begins with 'object', 'call' or 'return', not '%.60s'", l->words[0]);
}

int call_history_parse(struct call_history *h, const struct spec *s, const char *path,
		       const char *text, size_t len, struct err *err)
{
	struct line l = { .history = h, .spec = s, .path = path, .err = err };
	const char *at = text, *end = text + len;
	int rc = 0;
	*h = (struct call_history){ 0 };
	while (at < end && !rc) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);
		char *copy = mem_zero(length + 1, 1);
		memcpy(copy, at, length);
		l.number++;
		rc = take_line(&l, copy);
		mem_free(copy);
		at += length + 1;
	}
	return rc;
}

int call_history_read(struct call_history *h, const struct spec *s, const char *path,
		      struct err *err)
{
	struct buf text = { 0 };
	*h = (struct call_history){ 0 };
	int rc = file_read(path, &text, err);
	if (!rc)
		rc = call_history_parse(h, s, path, text.at ? text.at : "", text.len, err);
	buf_release(&text);
	return rc;
}

void call_history_release(struct call_history *h)
{
	for (size_t i = 0; i < h->threads.len; i++)
		mem_free(h->threads.at[i]);
	for (size_t i = 0; i < h->instances.len; i++)
		mem_free(h->instances.at[i].name);
	vec_release(&h->threads);
	vec_release(&h->instances);
	vec_release(&h->calls);
}
