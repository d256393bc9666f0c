/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of kinds, modes, flags and regions.  The kinds come from events.def alone.  The other
 * names are in arrays indexed by the constants themselves, so that a number and its name cannot
 * diverge.
 */
#include "trace/event.h"

#include <stdbool.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const bool event_kind_exists[256] = {
#define EVENT(number, NAME, name, obj, a, b) [number] = true,
#include "wire/events.def"
#undef EVENT
};

static const char *const kind_names[EV_LIMIT] = {
#define EVENT(number, NAME, name, obj, a, b) [number] = name,
#include "wire/events.def"
#undef EVENT
};

static const char *const operand_words[EV_LIMIT][3] = {
#define EVENT(number, NAME, name, obj, a, b) [number] = { #obj, #a, #b },
#include "wire/events.def"
#undef EVENT
};

static const char *const order_names[] = {
	[MODE_RELAXED] = "relaxed", [MODE_CONSUME] = "consume", [MODE_ACQUIRE] = "acquire",
	[MODE_RELEASE] = "release", [MODE_ACQ_REL] = "acq_rel", [MODE_SEQ_CST] = "seq_cst",
};

static const char *const sync_names[] = {
#define SYNC_OBJECT(number, NAME, word, noun, HOLD, NEED) [number] = word,
#include "wire/sync.def"
};

/* A stream is both a synchronisation object and a hidden one; the other numbers are distinct. */
static const char *const hidden_names[] = {
	[SYNC_STREAM] = "stream",
	[SYNC_ONCE] = "once",
#define HIDDEN(number, NAME, word, sentence) [number] = word,
#include "wire/hidden.def"
};

static const char *const annotation_names[] = {
#define ANNOTATION(number, NAME, word) [number] = word,
#include "wire/annotation.def"
};

/* A preemption is the default and has no name. */
static const char *const switch_names[] = { [SWITCH_BLOCK] = "block" };

static const char *const region_names[] = {
	[REGION_MODULE] = "module", [REGION_HEAP] = "heap", [REGION_STACK] = "stack",
	[REGION_TLS] = "tls",	    [REGION_ARGS] = "args",
};

static const char *const flag_names[] = { "branch", "failed", "volatile", "zero",
					  "hashed", "libc",   "stack",	  "buffered" };
_Static_assert(EVF_BUFFERED == 1 << (COUNT(flag_names) - 1), "flag names follow the bits");

static const char *lookup(const char *const *names, size_t count, size_t i)
{
	return i < count ? names[i] : NULL;
}

/* Index of a name; 0 if it is not found.  No array that is searched has a name at index 0. */
static unsigned find(const char *const *names, size_t count, const char *name, size_t len)
{
	for (size_t i = 1; i < count; i++)
		if (names[i] && strlen(names[i]) == len && !memcmp(names[i], name, len))
			return (unsigned)i;
	return 0;
}

const char *event_kind_name(unsigned kind)
{
	return lookup(kind_names, COUNT(kind_names), kind);
}

unsigned event_kind_by_name(const char *name, size_t len)
{
	return find(kind_names, COUNT(kind_names), name, len);
}

/* The words of events.def differ in their first letter. */
static enum operand operand_of(const char *word)
{
	switch (word ? word[0] : '-') {
	case 'a':
		return OPERAND_ADDR;
	case 'v':
		return OPERAND_VALUE;
	case 's':
		return OPERAND_SYNC;
	case 't':
		return OPERAND_THREAD;
	case 'n':
		return OPERAND_NUM;
	case 'f':
		return OPERAND_FAILURE;
	case 'p':
		return OPERAND_PATH;
	}
	return OPERAND_NONE;
}

struct event_shape event_shape(unsigned kind)
{
	struct event_shape shape = { OPERAND_NONE, OPERAND_NONE, OPERAND_NONE };
	if (kind < EV_LIMIT) {
		shape.obj = operand_of(operand_words[kind][0]);
		shape.a = operand_of(operand_words[kind][1]);
		shape.b = operand_of(operand_words[kind][2]);
	}
	return shape;
}

/*
 * The names for the mode byte of an event kind: kinds of synchronisation objects, of hidden
 * objects, of annotations, the reason of a switch, and memory orders for all others.
 */
static const char *const *mode_names(unsigned kind, size_t *count)
{
	if (kind == EV_SWITCH) {
		*count = COUNT(switch_names);
		return switch_names;
	}
	if (kind == EV_HIDDEN) {
		*count = COUNT(hidden_names);
		return hidden_names;
	}
	if (kind == EV_ANNOTATION) {
		*count = COUNT(annotation_names);
		return annotation_names;
	}
	if (kind == EV_FLUSH_TURN) { /* a place in a buffer: a number */
		*count = 0;
		return NULL;
	}
	bool is_sync = event_shape(kind).obj == OPERAND_SYNC;
	*count = is_sync ? COUNT(sync_names) : COUNT(order_names);
	return is_sync ? sync_names : order_names;
}

const char *event_mode_name(unsigned kind, unsigned mode)
{
	size_t count;
	const char *const *names = mode_names(kind, &count);
	return lookup(names, count, mode);
}

int event_mode_by_name(unsigned kind, const char *name, size_t len)
{
	size_t count;
	const char *const *names = mode_names(kind, &count);
	unsigned mode = find(names, count, name, len);
	return mode ? (int)mode : -1;
}

const char *event_flag_name(unsigned bit)
{
	if (!bit || bit & (bit - 1))
		return NULL;
	return lookup(flag_names, COUNT(flag_names), (size_t)__builtin_ctz(bit));
}

unsigned event_flag_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(flag_names); i++)
		if (strlen(flag_names[i]) == len && !memcmp(flag_names[i], name, len))
			return 1u << i;
	return 0;
}

const char *region_kind_name(unsigned kind)
{
	return lookup(region_names, COUNT(region_names), kind);
}

unsigned region_kind_by_name(const char *name, size_t len)
{
	return find(region_names, COUNT(region_names), name, len);
}
