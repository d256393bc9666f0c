/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From ring records to events and tables.
 *
 * The words come from the program under test, which may have damaged them.  A malformed record ends
 * decoding with ERR_PROGRAM and the number of the word; everything before it has been delivered.
 *
 * Addresses in modules, and 8-byte values that point into a module, are mapped to canonical
 * addresses (wire/canonical.h).  In chunks of accesses the runtime has done so already.  So a
 * trace does not depend on address space randomisation.  Heap, stacks and arguments are at fixed
 * addresses.
 *
 * A definition (region, location, stack, site) is delivered before the first event that uses it.
 */
#ifndef HEDDLE_DECODE_H
#define HEDDLE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"
#include "trace/trace.h"
#include "wire/canonical.h"

/* The receiver of the result.  A negative return value stops decoding and is returned. */
struct decode_sink {
	void *arg;
	int (*region)(void *arg, const struct region *r, struct err *err);
	int (*location)(void *arg, const struct location *l, struct err *err);
	int (*stack)(void *arg, const struct stack_node *s, struct err *err);
	int (*site)(void *arg, const struct trace_site *s, struct err *err);
	int (*event)(void *arg, const struct event *e, struct err *err);
	/*
	 * Most accesses are in chunks of many events.  If `access` is set, each event of a chunk
	 * follows it.
	 */
	int (*chunk)(void *arg, const struct access_chunk *c, struct err *err);
	int (*access)(void *arg, const struct event *e, struct err *err); /* may be NULL */
	void (*note)(void *arg, const char *text); /* messages of the runtime for the user */
};

/*
 * Source positions: fills function, file, line and column of a location; the decoder owns the
 * strings. Depth 0 is the innermost function, greater depths are the functions that it is inlined
 * into.  False: there is no such function.
 */
struct decode_resolver {
	void *arg;
	bool (*resolve)(void *arg, const struct region *module, unsigned depth, struct location *l);
	char *(*build_id)(void *arg, const char *path); /* owned by the caller; "" if none */
};

struct decode_module {
	uint64_t start, size; /* in the program's address space */
	uint64_t canonical;
	uint32_t region;
};

struct decode_pc {
	uint64_t pc;
	loc_id loc;
};
#define DECODE_PCS 8192

struct decoder {
	const struct decode_sink *sink;
	const struct decode_resolver *resolver; /* NULL: positions stay unknown */
	struct trace_tables tables;		/* everything defined so far; strings owned here */
	uint64_t words;				/* consumed so far */
	uint64_t events;
	uint64_t switches;
	thr_id thread; /* running */
	stack_id stack;
	loc_id last_loc; /* place of the last event */

	/* Private. */
	VEC(struct decode_module) modules;
	struct decode_module last_module; /* the one used last */
	uint64_t modules_low, modules_high;
	struct canonical_places places;
	uint32_t sites;			/* number of sites, including the unused 0 */
	struct access_reader *accesses; /* NULL: chunks are not decoded */
	VEC(uint64_t) own_index;	/* by thread */
	VEC(stack_id) stack_of_thread;	/* of threads that are not running */
	VEC(stack_id) stack_of_wire;	/* by the program's number of the stack */
	struct map loc_of_pc;
	struct decode_pc pcs[DECODE_PCS];
	struct buf data;    /* of the event being delivered */
	uint8_t shape[256]; /* by kind: layout of the operands, which are addresses */
};

void decode_init(struct decoder *d, const struct decode_sink *sink,
		 const struct decode_resolver *resolver);
void decode_release(struct decoder *d);

/*
 * Decode the complete records among `count` words; *used becomes the number of their words.  An
 * incomplete record is left for the next call.  Errors: ERR_PROGRAM, and those of the sink.
 */
int decode_words(struct decoder *d, const uint64_t *words, size_t count, size_t *used,
		 struct err *err);

/* The canonical address of an address in the program. */
uint64_t decode_address(struct decoder *d, uint64_t address);

#endif
