/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store buffers: stores that are not in memory yet, under TSO and PSO.
 *
 * While a thread runs, memory holds its view: what is in memory for all, and the stores in its
 * own buffer.  A switch takes the stores of one thread out of memory and puts those of the other
 * in (buffer_switch).  Under SC there are no buffers, and buffer_is_on() is false.
 */
#ifndef HEDDLE_RT_BUFFER_H
#define HEDDLE_RT_BUFFER_H

#include "rt/rt.h"
#include "wire/wire.h"

struct store_buffer;
struct thread;

/* Of each thread. */
struct thread_stores {
	struct store_buffer *buffer; /* NULL under SC */
	bool awaits_flush;	     /* blocked until its buffer has no store to the range: */
	/* of its current step if that is OPF_DRAINED: what must be in memory before */
	uintptr_t drain_from;
	size_t drain_size;
};

extern uint32_t buffer_model __attribute__((visibility("hidden"))); /* enum wire_memory */
static inline bool buffer_is_on(void)
{
	return unlikely(buffer_model != MEMORY_SC);
}
void buffer_init(void);
void buffer_main_tls(uintptr_t low, uintptr_t high);
void buffer_prepare(struct thread *t); /* the empty buffer of a new thread */
/* memory becomes the view of `to` */
void buffer_switch(struct thread *from, struct thread *to);
/* For a store, before and after it; true: it is in the buffer now, otherwise it is in memory. */
void buffer_before(uintptr_t p, size_t n, bool is_late, pc_t pc);
bool buffer_store(uintptr_t p, size_t n, unsigned mode, pc_t pc);
void buffer_make_room(void); /* after the event of a store */
void buffer_fence(unsigned mode);
void buffer_need_empty(void);
/* stores to that range, and those that must not be later than them */
void buffer_drain_range(uintptr_t p, size_t n);
uint32_t buffer_count(const struct thread *t);
bool buffer_may_flush(const struct thread *t, uint32_t place);
/* Because the schedule says so; whether the running thread is blocked. */
void buffer_flush_turn(struct thread *t, uint32_t place, bool is_blocked);
uintptr_t buffer_location(const struct thread *t, uint32_t place);
/* what a thread that does not run would read */
void buffer_look(const struct thread *t, uintptr_t p, size_t n, void *out);
/* all bytes of a read come from the running thread's buffer */
bool buffer_forwards(uintptr_t p, size_t n);
/* The running thread is about to do something that needs an empty buffer. */
static inline void buffer_empty(void)
{
	if (buffer_is_on())
		buffer_need_empty();
}

#endif
