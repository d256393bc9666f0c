/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compact form of plain memory accesses: chunks of bytes, made by the runtime, kept as they
 * are in traces and decoded by the reader of one.  Nearly all events of a run are such accesses,
 * and nearly all of these can be foretold, so both sides run the same model and only what it does
 * not expect is said.
 *
 * An access happens at a site: a place in the program, with kind, size and memory order.  The
 * model expects of the next access of a thread
 *   site     the one that followed the thread's previous site the last time
 *   flags    as at this site the last time
 *   address  a base plus a difference that this site has shown: the site's last address (arrays),
 *            the thread's last address (members of one object), or the last pointer that the thread
 *            has read (pointer chasing)
 *   value    of a read: what memory holds, as far as events say; of a write: a base plus a
 *            difference again: what memory held (counters), the last value that the thread has
 *            read (copying), the site's last value
 *
 * A chunk is a sequence of tokens:
 *   1nnnnnnn                 n accesses as expected; n = 127: a varint follows, which is their
 *                            number
 *   0vfwwbbs                 one access, of which something is given:
 *     s       the site, a varint
 *     f       the flags, a byte
 *     bb      base of the address (enum access_base), 0: as expected; then ww is the width of the
 *             difference (1, 2, 4, 8)
 *     v       the value: a byte with base (low 2 bits, enum value_base) and width of the
 *             difference (next 3: 0 to 4 for 0, 1, 2, 4, 8 bytes), and the difference
 *             in the order site, flags, address, value
 *   0000100s (s = 0)         the thread's call stack from now on, a varint
 * Differences are signed, low byte first.
 *
 * Where branches are events they are in chunks, too, with sites of their own.  A branch has no
 * flags, address or value: its token gives the site at most.
 *
 * What memory holds is known to the reader of a chunk where an event has said it: WRITE, RMW,
 * READ, INITIAL and OUTSIDE_WRITE with their bytes.  A value that rests on other bytes is always
 * given.
 */
#ifndef HEDDLE_WIRE_ACCESSES_H
#define HEDDLE_WIRE_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

enum access_base { ADDRESS_EXPECTED, ADDRESS_OF_SITE, ADDRESS_OF_THREAD, ADDRESS_OF_POINTER };
enum value_base { VALUE_OF_MEMORY, VALUE_OF_READ, VALUE_OF_SITE, VALUE_ABSOLUTE };

#define TOKEN_RUN 0x80u
#define TOKEN_RUN_LONG 0x7fu
#define TOKEN_SITE 0x01u
#define TOKEN_BASE_SHIFT 1
#define TOKEN_WIDTH_SHIFT 3
#define TOKEN_FLAGS 0x20u
#define TOKEN_VALUE 0x40u
#define TOKEN_STACK 0x08u /* base 0 with a width: no access */

#define VALUE_WIDTH_SHIFT 2
#define VALUE_BITS 0x1fu

#define ACCESS_TOKEN_MAX 40   /* bytes of a run and a token, at most */
#define ACCESS_CHUNK_MAX 1984 /* bytes of a chunk: with its header less than a record can have */
#define ACCESS_SITES_MAX (1u << 20)

/* What both sides remember of a site. */
struct access_site {
	uint64_t address; /* of its last access */
	uint64_t step;	  /* expected: base plus this */
	/* the difference given last; two equal ones in a row are expected from then on */
	uint64_t seen_step;
	uint64_t value; /* written last */
	uint64_t value_step;
	uint32_t next; /* site that followed in the same thread */
	uint8_t base;  /* enum access_base; ADDRESS_EXPECTED stands for ADDRESS_OF_SITE */
	uint8_t seen_base;
	uint8_t value_base; /* enum value_base */
	uint8_t flags;
};

/* What both sides remember of a thread. */
struct access_thread {
	uint64_t address; /* of its last access */
	uint64_t pointer; /* last 8 bytes read */
	uint64_t value;	  /* last value read */
};

static inline uint64_t access_base_address(const struct access_site *s,
					   const struct access_thread *t, unsigned base)
{
	return base == ADDRESS_OF_THREAD    ? t->address
	       : base == ADDRESS_OF_POINTER ? t->pointer
					    : s->address;
}

static inline uint64_t access_expected_address(const struct access_site *s,
					       const struct access_thread *t)
{
	return access_base_address(s, t, s->base) + s->step;
}

/* An address that was not expected has been given as a difference to a base. */
static inline void access_learn_address(struct access_site *s, unsigned base, uint64_t step)
{
	if (s->seen_base == base && s->seen_step == step) {
		s->base = (uint8_t)base;
		s->step = step;
	}
	s->seen_base = (uint8_t)base;
	s->seen_step = step;
}

/* A value of `size` bytes (1, 2, 4 or 8). */
static inline uint64_t access_truncate(uint64_t v, unsigned size)
{
	return size == 8 ? v : v & ((1ull << 8 * size) - 1);
}

static inline uint64_t access_base_value(const struct access_site *s, const struct access_thread *t,
					 unsigned base, uint64_t memory)
{
	switch (base) {
	case VALUE_OF_MEMORY:
		return memory;
	case VALUE_OF_READ:
		return t->value;
	case VALUE_OF_SITE:
		return s->value;
	}
	return 0;
}

static inline uint64_t access_expected_value(const struct access_site *s,
					     const struct access_thread *t, uint64_t memory,
					     unsigned size)
{
	return access_truncate(access_base_value(s, t, s->value_base, memory) + s->value_step,
			       size);
}

/* After every access. */
static inline void access_learn_read(struct access_thread *t, uint64_t value, unsigned size)
{
	t->value = value;
	if (size == 8)
		t->pointer = value;
}

#endif
