/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event of a trace, and what events refer to: places in the source, call stacks, regions of
 * memory.
 *
 * Addresses are 64-bit numbers with the same meaning in every run of the same program; regions
 * (below) give them names.  An access of at most 8 bytes has its value in `a` (RMW: old in `a`,
 * new in `b`).  A larger access has its bytes in `data` (RMW: old, then new), or with EVF_HASHED
 * a hash of them in `a`.
 */
#ifndef HEDDLE_EVENT_H
#define HEDDLE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

typedef uint32_t thr_id;
typedef uint32_t loc_id;   /* place in the source; 0: unknown */
typedef uint32_t stack_id; /* call stack; 0: unknown */

#define THR_NONE UINT32_MAX

struct event {
	uint64_t index;	    /* position in the trace, from 0 */
	uint64_t own_index; /* position among the events of its thread, from 0 */
	uint64_t obj;
	uint64_t a, b;
	uint64_t size; /* bytes of an access or block */
	/* data_len bytes, owned by the producer of the event, valid until its next one */
	const unsigned char *data;
	size_t data_len;
	thr_id thread;
	loc_id loc;
	stack_id stack;
	uint8_t kind; /* enum event_kind */
	/* memory order of an access, enum sync_mode of a synchronisation event */
	uint8_t mode;
	uint8_t flags; /* enum event_flag */
};

/*
 * A place in the program: module and offset of the hook's return address, and the source position
 * if known.
 */
struct location {
	uint32_t region; /* region id of the module; 0: none */
	uint64_t offset;
	char *function; /* "" if unknown */
	char *file;	/* "" if unknown */
	uint32_t line;	/* 0 if unknown */
	uint32_t column;
};

/* A call stack: its innermost call, and the stack of the caller. */
struct stack_node {
	stack_id parent; /* 0: outermost */
	loc_id loc;	 /* place of the call */
};

/* A named range of the address space. */
struct region {
	uint64_t start, size;
	uint32_t kind;	/* enum wire_region */
	uint32_t flags; /* enum wire_module_flag */
	thr_id thread;	/* of heap part, stack and TLS; THR_NONE otherwise */
	char *path;	/* of a module; "" otherwise */
	char *build_id; /* of a module, hex; "" if none */
};

extern const bool event_kind_exists[256];
/* Name of an event kind, NULL if there is no such kind; and back, 0 if there is none. */
const char *event_kind_name(unsigned kind);
unsigned event_kind_by_name(const char *name, size_t len);

/* The meaning of obj, a and b of an event kind: the words of events.def. */
enum operand {
	OPERAND_NONE,
	OPERAND_ADDR,
	OPERAND_VALUE,
	OPERAND_SYNC,
	OPERAND_THREAD,
	OPERAND_NUM,
	OPERAND_FAILURE,
	OPERAND_PATH
};
struct event_shape {
	enum operand obj, a, b;
};
struct event_shape event_shape(unsigned kind);
/* Whether the operand is printed.  A path of 0 was not recorded. */
static inline bool operand_is_printed(enum operand what, uint64_t value)
{
	return value || (what != OPERAND_NONE && what != OPERAND_PATH);
}

/* Word for the mode byte of an event of this kind (memory order or kind of lock); NULL if it has
 * none. */
const char *event_mode_name(unsigned kind, unsigned mode);
/* And back; -1 if no mode of this kind has the name. */
int event_mode_by_name(unsigned kind, const char *name, size_t len);
/* Word for one bit of the flags, NULL if it has none; and back, 0 if no flag has the name. */
const char *event_flag_name(unsigned bit);
unsigned event_flag_by_name(const char *name, size_t len);
/* Word for a kind of region, NULL if there is no such kind; and back, 0 if there is none. */
const char *region_kind_name(unsigned kind);
unsigned region_kind_by_name(const char *name, size_t len);

#endif
