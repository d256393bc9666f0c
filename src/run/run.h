/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime of `heddle run`: what its files share.
 *
 * Threads are real and run in parallel.  Every access that the compiler reports is compared with
 * the last accesses to the same eight bytes, under two orders at once: happens-before (what the
 * observed run ordered) and the weak order EDC, in which a lock orders two critical sections only
 * if they contain conflicting accesses.  What neither order relates is a race that happened; what
 * only happens-before relates is one that another schedule can show.
 *
 * The unit of everything is the *stamp*.  A stamp is a number that stands for: this thread, in
 * this epoch, holding these locks, at this point of its history.  A shadow cell has a stamp and
 * the bytes touched, so that one cell of 32 bits answers when, by whom, under which sections of
 * which locks and, through the history, from which call stack the access was made.  The
 * mutex-access shadow words of OVPredict (the locks of past accesses) are thereby part of the
 * stamp.
 *
 * The core (clock.c, stamp.c, shadow.c, lock.c, sync.c, free.c) knows threads as struct thr only
 * and tells what it found to run_found(); it is also linked into the driver of
 * tests/run_vs_reference, which feeds it recorded interleavings.
 *
 * Rules: no heap and no stdio of libc; memory comes from run_map() and stays.  libc is called
 * through real.h or by raw system calls.  Thread-local is run_self alone, in the initial-exec
 * model.  A limit that is reached may lose a report; it must never make one: whatever is
 * forgotten is replaced by more order.
 */
#ifndef HEDDLE_RUN_RUN_H
#define HEDDLE_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/finding.h"

#define RUN_EXPORT __attribute__((visibility("default"), weak))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define PC ((uintptr_t)__builtin_return_address(0))

#define SLOTS_MAX 8192 /* threads alive at once */
#define SLOTS_FRESH \
	128 /* threads that get a slot of their own before those of ended ones are used again */
#define HELD_MAX 64	   /* locks of one thread at once */
#define CANDIDATES_MAX 256 /* of one thread at once */
#define SECTIONS_KEPT 8	   /* release clocks that a lock remembers one by one */
#define SYNCS_MAX (1u << 22)
#define EPOCHS_MAX (1u << 30) /* of one thread, and of the next ones in its slot */

/* ---- addresses ---- */

/*
 * Programs live in three places: near 0, near 0x55.. and near 0x7f..  Modulo 2^44 these stay
 * apart (start.c looks whether they do), and so every eight bytes have sixteen of shadow, and
 * every 64 bytes a word for the list of their synchronisation objects.
 */
#define ADDRESS_MASK 0x0fffffffffffull
#define SHADOW_BASE 0x100000000000ull
#define SHADOW_SIZE (2 * (ADDRESS_MASK + 1)) /* for four cells */
#define SYNC_BASE (SHADOW_BASE + SHADOW_SIZE)
#define SYNC_SIZE ((ADDRESS_MASK + 1) / 16)
/* A bit for every 64 KB: stack of a thread. */
#define STACKS_BASE (SYNC_BASE + SYNC_SIZE)
#define STACKS_SIZE ((ADDRESS_MASK + 1) >> 19)
/* A bit for every SHADOW_PART of shadow that has its memory. */
#define SHADOW_PART (32u << 10)
#define PARTS_BASE (STACKS_BASE + STACKS_SIZE)
#define PARTS_SIZE (SHADOW_SIZE / SHADOW_PART / 8)
#define STAMPS_BASE (PARTS_BASE + PARTS_SIZE)

#ifndef CELLS
#define CELLS 4 /* a test compiles the core with more */
#endif
#define CELL_WRITE 1u
#define CELL_ATOMIC 2u
#define CELL_MASK(cell) ((cell) >> 2 & 0xff)
#define CELL_STAMP(cell) ((cell) >> 10)
#ifndef STAMPS
#define STAMPS (1u << 20) /* a cell has room for four times as many; they would be 100 MB */
#endif
/* A granule of memory that was freed: no bytes, written. */
#define CELL_IS_FREED(cell) (((cell)&0x3ff) == CELL_WRITE)
/* First cell of the granule before a block of the heap, which is the allocator's own; the others:
 * heap.c. */
#define CELL_BLOCK (CELL_WRITE | CELL_ATOMIC)
#define CELL_BLOCK_FREED CELL_ATOMIC
#define CELL_IS_BLOCK(cell) ((cell) == CELL_BLOCK || (cell) == CELL_BLOCK_FREED)

static inline uint32_t *shadow_of(uintptr_t address)
{
	return (uint32_t *)(SHADOW_BASE + CELLS / 2 * (address & ADDRESS_MASK & ~7ull));
}

/* ---- clocks ---- */

struct tick {
	uint32_t hb, weak;
};

/* A clock of a synchronisation object; entries from n on are 0. */
struct clock {
	uint32_t n, room;
	struct tick at[];
};

/* ---- stamps ---- */

/*
 * What one thread looks at at once: the cells of a granule or the last accesses to a block, a
 * cell, an older action.
 */
#define LASTS 16
#define LOOK_CELL (CELLS > LASTS ? CELLS : LASTS)
#define LOOK_PAST (LOOK_CELL + 1)
#define LOOKS (LOOK_CELL + 2)

enum lock_mode { HOLD_READ, HOLD_WRITE };

struct stamp {
	uint32_t epoch;
	uint16_t slot;
	uint16_t mode;	  /* of lock */
	uint32_t lock;	  /* innermost lock held: index of its sync; 0: none */
	uint32_t section; /* which of that lock's critical sections */
	uint32_t outer;	  /* stamp that has the other locks */
	uint32_t place;	  /* in the thread's history */
};

/* ---- threads ---- */

struct frame {
	uintptr_t call; /* return address into the caller */
	uintptr_t sp;
	uint32_t stack; /* number of the stack up to here, 0: not asked for yet */
};

struct held {
	uint32_t lock, section;
	uint32_t node; /* a stamp for the locks up to here, 0: none yet */
	uint32_t spills_seen;
	uint32_t wipes; /* of the shadow, when it was acquired */
	uint32_t depth; /* of a recursive lock */
	uint32_t epoch; /* when it was acquired */
	uint32_t stack; /* where it was acquired */
	uint8_t mode;
	bool is_opaque;
	bool is_nest; /* others worked inside of it (nest.c) */
};

/* The last objects that a thread has met, by address. */
#define SYNC_CACHE 256
struct met {
	uintptr_t address;
	uint32_t index;
	const void *clock, *reads; /* as they were then: to be fetched early */
};

/*
 * The cells of a thread's atomic accesses without locks to a granule, a load and a store, 0:
 * none; there are no others, unless the shadow has been cleared meanwhile.
 */
#define KNOWN_CACHE 64
struct known {
	const uint32_t *cells;
	uint32_t wipes, load, store;
};

/* The older of two actions, as far as it is still known. */
struct past {
	uint32_t stamp;
	uint16_t slot;
	uint32_t epoch;
	enum finding_act act;
	bool is_atomic;
	uint32_t stack; /* 0: by the history */
	uintptr_t address;
	unsigned size;
};

struct thr;

struct found {
	enum finding_kind kind;
	enum run_status status;
	bool is_locked; /* both under a common lock: decided when it was released */
	uintptr_t address;
	unsigned size;
	struct thr *thr; /* the younger action's */
	enum finding_act act;
	bool is_atomic;
	uint32_t epoch, stack;
	struct past past;
};

/* A pair under common locks, undecided until the last of them is released (OVPredict 2.4, 10.2). */
struct candidate {
	struct found found;
	uint32_t common[HELD_MAX];
	unsigned count;
};

/* A thread that waits for a condition variable. */
struct waiter {
	struct past past;
	struct waiter *next;
	uintptr_t mutex;
	struct clock *clock; /* what the thread had seen when it began to wait */
	bool is_timed;
};

struct history;

#ifndef LATE_MAX
#define LATE_MAX 4
#endif
enum { LATE_SOME = 1, LATE_MANY = 2 };

struct thr {
	uint32_t base; /* stamp of this epoch in place of a cell, 0: none yet */
	uint32_t epoch;
	uint16_t slot;
	uint16_t busy; /* guards that it holds: signals wait meanwhile */
	uint16_t has_pending;
	uint32_t looking; /* at stamps of others (stamp.c): signals wait meanwhile */
	uint32_t current; /* the last stamp that it got */
	void *pending;	  /* wrap_signal.c */
	uint32_t held_count;
	struct tick *clock;   /* SLOTS_MAX */
	uint64_t *next, *end; /* history: where the next event goes */
	uintptr_t last_pc;    /* of the last event in it */
	struct frame *top, *limit, *frames;
	struct history *history;
	uint32_t batch, batch_end; /* stamps it may use */
	uint32_t random;
	uint32_t uid;
	uint32_t first_epoch; /* of this thread in the slot */
	/* of the weak part of its clock: begun and ended, odd meanwhile */
	uint32_t changes;
	/* the last one that others may have seen before it was over (lock.c) */
	uint32_t shown_epoch;
	uint32_t has_late;  /* LATE_... */
	uint32_t wipes_met; /* g.wipes when it did the last thing that counts */
	/* slot and epoch of writes that its last read may have seen */
	uint64_t late[LATE_MAX];
	uintptr_t stack_low, stack_size;
	uint32_t wiped_epoch; /* what it did up to here makes no prediction any more */
	bool is_alive;
	struct held held[HELD_MAX];
	struct candidate *candidates;
	unsigned candidate_count;
	struct clock *fence;  /* what relaxed loads have seen, for the next acquire fence */
	struct clock *sent;   /* what the last release fence published */
	struct clock *copied; /* that of another thread, while it is read (clock_see) */
	uint32_t ignored;     /* annotations: accesses that do not count */
	uintptr_t handle;     /* pthread_self() */
	bool has_news;	      /* what it received since nest_follow may say where sections began */
	/* Cells whose stamps it uses while it is looking. */
	uint32_t looked_at[LOOKS] __attribute__((aligned(16)));
	struct met met[SYNC_CACHE];
	struct known known[KNOWN_CACHE];
	struct waiter waiter;
	/* condition variable that the waiter is in the list of, 0: none */
	uintptr_t waits_on;
	void *freeing;	    /* block that is marked as freed, and which glibc may not have yet */
	void (*once)(void); /* pthread_once: what is to be called, and for which control */
	uintptr_t once_control;
};

extern __thread struct thr *run_self __attribute__((tls_model("initial-exec")));

/* ---- global state ---- */

struct options {
	uint32_t sections_kept;
	bool is_predicting; /* the weak order as well */
	bool sees_writes;   /* a read is after a racy write that it may have seen */
	bool halts;
	int exit_code;
	uint32_t history;   /* parts for each thread */
	uint32_t limit;	    /* reports */
	uint32_t exit_wait; /* milliseconds that exit gives to other threads */
	bool finds_lock_orders, finds_fd;
};

struct run {
	struct thr *slots[SLOTS_MAX];
	uint32_t slot_count;
	uint32_t is_parallel; /* more than one thread has ever been */
	uint32_t wipes;	      /* of the shadow: begun and ended, odd while it is being cleared */
	uint32_t is_active;
	/* some were to a part of others' bytes: objects do not know them */
	bool has_odd_atomics;
	bool has_cancelled; /* a thread has cancelled another one (wrap_process.c) */
	uint32_t strangers; /* guards held by threads that are not, or not yet, ours */
	struct options options;
};

extern struct run g;
#define STAMP(number) ((struct stamp *)STAMPS_BASE + (number))

/* For changes: what another processor has changed last comes while other things are done. */
static inline void run_fetch(const void *at)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
}

/* ---- memory.c ---- */
void *run_map(size_t size);
void *run_map_at(uintptr_t address, size_t size); /* NULL if it is taken */
void *run_pool(size_t size);			  /* zeroed, for ever */
void run_copy(void *to, const void *from, size_t n);
void run_clear(void *to, size_t n);
void run_huge(uintptr_t from, size_t n);     /* by large pages where there are some */
void run_forget(uintptr_t from, size_t n);   /* whole pages of a map of ours become 0 */
void run_populate(uintptr_t from, size_t n); /* whole pages get their memory now */
void run_barrier(void);			     /* in every thread, wherever it is */
long run_syscall(long number, long a, long b, long c, long d, long e, long f);
void run_lock(uint32_t *lock);
void run_unlock(uint32_t *lock);
void run_pause(unsigned *spins);
/* The gate before all guards, which is closed for a fork (fork.c). */
void gate_close(struct thr *t);	      /* for all but t */
bool gate_open(void);		      /* false if somebody has lost his patience */
bool gate_stops(const struct thr *t); /* t has got its first guard and must give it back */
void gate_wait(void);
void gate_enter(struct thr *t); /* run_enter when it is open; guards within do not stop */

/* ---- clock.c; more of it in ticks.h ---- */
/* there is none, or it has no room for n */
struct clock *clock_grow(struct clock **slot, uint32_t n);
void clock_free(struct clock *c);
void clock_publish(struct thr *t, struct clock **to); /* to becomes the larger of both */
void clock_replace(struct thr *t, struct clock **to); /* to becomes t's */
void clock_merge(struct clock **to, const struct clock *from);
/* what it did there is before t */
void clock_see(struct thr *t, struct thr *other, uint32_t epoch);

/*
 * A read may see a racing write that was recorded after it: it stands between its hook and its
 * load.  The writer tells the reader, who knows it before he does anything else that counts.  If
 * the shadow was cleared in between nobody could tell him, and nothing done up to then is
 * predicted.
 */
void late_add(struct thr *reader, const struct thr *writer);
void late_see_all(struct thr *t);
static inline void late_see(struct thr *t)
{
	if (unlikely(__atomic_load_n(&t->has_late, __ATOMIC_ACQUIRE) ||
		     __atomic_load_n(&g.wipes, __ATOMIC_RELAXED) != t->wipes_met))
		late_see_all(t);
}

/* ---- stamp.c ---- */
void stamp_init(void);
uint32_t stamp_now(struct thr *t);		     /* the stamp of what t does now */
static inline uint32_t thr_base(const struct thr *t) /* a racing thread may take it away */
{
	return __atomic_load_n(&t->base, __ATOMIC_RELAXED);
}
void thr_tick(struct thr *t); /* what t does from now on is later than what it has published */
static inline void thr_restamp(struct thr *t) /* other locks from now on */
{
	t->base = 0;
}
struct thr *thr_new(uint32_t slot); /* a thread in that slot, without a history */
void stamp_forget_actions(void);    /* nothing is predicted for what has been done up to now */
/* Whether the older action is before what t does, in both orders or in one. */
static inline bool seen_hb(const struct thr *t, unsigned slot, uint32_t epoch)
{
	return slot == t->slot || epoch <= t->clock[slot].hb;
}
static inline bool seen_weak(const struct thr *t, unsigned slot, uint32_t epoch)
{
	return slot == t->slot || epoch <= t->clock[slot].weak;
}

/* Whether edges that order the action after others may have gone with the shadow. */
static inline bool is_wiped(unsigned slot, uint32_t epoch)
{
	return epoch <= __atomic_load_n(&g.slots[slot]->wiped_epoch, __ATOMIC_ACQUIRE);
}

/* ---- shadow.c ---- */
typedef uint32_t cells4 __attribute__((vector_size(16)));
typedef char bytes16 __attribute__((vector_size(16)));

/*
 * Has the thread already made this access with its present stamp, perhaps in a larger one, or a
 * write for it?
 */
static inline __attribute__((always_inline)) bool is_there(const uint32_t *cells, uint32_t mine)
{
	uint32_t counted = (mine & CELL_WRITE ? 0xfffffc03u : 0xfffffc02u) | (mine & 0x3fc);
	cells4 wanted = { mine, mine, mine, mine }, bits = { counted, counted, counted, counted };
	return __builtin_ia32_pmovmskb128(
		(bytes16)((*(const cells4 *)cells & bits) == (wanted & bits)));
}

void shadow_init(void);
void access_granule(struct thr *t, uint32_t *cells, uintptr_t address, unsigned size,
		    uint32_t flags, uintptr_t pc);
void access_range(struct thr *t, uintptr_t address, size_t size, uint32_t flags, uintptr_t pc);
void access_any(struct thr *t, uintptr_t address, unsigned size, uint32_t flags, uintptr_t pc);
/*
 * Under the guard of the location's object: an atomic store is after the atomic accesses that did
 * not see it. `is_known`: those to exactly these bytes are known otherwise.
 */
void access_before_store(struct thr *t, uintptr_t address, unsigned size, bool is_known);
void shadow_clear(uintptr_t address, size_t size);

/* What a cell tells of an access; `bytes` are those that matter: a cell may stand for several. */
struct past cell_past(const struct stamp *s, uint32_t cell, uint32_t bytes, uintptr_t address);

/* ---- free.c: every access after it is a use after free ---- */
void shadow_free(struct thr *t, uintptr_t address, size_t size, bool is_unmapped, uintptr_t pc);
void shadow_free_again(struct thr *t, uintptr_t address, uintptr_t pc);

/* ---- lock.c ---- */
struct sync;
struct section;
void lock_acquire(struct thr *t, struct sync *s, enum lock_mode mode,
		  uint32_t stack);		  /* guarded; so is the next */
void lock_release(struct thr *t, struct sync *s); /* lets the guard go */
/* The thread ends: robust locks that it holds go to others; of the rest nobody hears again. */
void lock_end(struct thr *t);
bool lock_is_held(const struct thr *t, uint32_t lock);
/* CCS edges from the sections that s lies in; true if there were some. */
bool lock_joins(struct thr *t, const struct stamp *s);
/* every section of s is over for t */
bool lock_covers(const struct thr *t, const struct stamp *s);
/* its cell goes: keep its sections in order */
void lock_spill(struct thr *t, const struct stamp *s);
/* with what others have spilled, and with what was received */
void lock_catch_up(struct thr *t);
void lock_opaque(struct thr *t); /* the sections t is in do what no hook tells */
/* A non-commuting pair: report, or keep until the last common lock is released. */
void target_pair(struct thr *t, const struct found *f);

/* ---- nest.c: hard edges across the borders of sections ---- */
/* Those with an object are called under its guard. */
void nest_open(const struct thr *t, struct sync *s, enum lock_mode mode);
void nest_close(struct thr *t, struct sync *s, const struct held *h);
void nest_follow(struct thr *t, struct sync *s, enum lock_mode mode);
void nest_return(struct thr *t, const struct clock *from); /* before t receives it */
bool nest_is_within(const struct thr *t, const struct sync *s, unsigned mode);
bool nest_may_be_within(const struct thr *t, const struct stamp *s); /* not guarded */
void nest_forget_section(struct sync *s, const struct section *k);
void nest_end(struct sync *s);

/* ---- sync.c ---- */
enum sync_kind {
	SYNC_OTHER,
	SYNC_MUTEX,
	SYNC_RWLOCK,
	SYNC_SPIN,
	SYNC_COND,
	SYNC_BARRIER,
	SYNC_SEM,
	SYNC_ATOMIC
};

struct section {
	uint32_t number; /* 0: none yet */
	uint32_t epoch;
	uint16_t slot;
	uint8_t mode;
	/* epoch of the acquire, if others can have seen that one alone; 0: not so */
	uint32_t since;
	struct clock *clock; /* weak order, at the release */
};

/* A section that is not over, and a range of epochs with sections that are not kept one by one
 * (nest.c). */
struct open_section {
	uint32_t slot, since;
};
struct epochs {
	uint32_t first, last;
};

/* The last use of an object by the thread in a slot, for pairs of use and destruction. */
struct use {
	uint32_t epoch, stack, stamp;
	enum finding_act act;
};

struct sync {
	uintptr_t address;
	uint32_t next; /* in the list of its 64 bytes */
	uint32_t guard;
	enum sync_kind kind;
	struct clock *clock; /* released */
	/* rwlock: released by readers; atomic: of the loads since the last store */
	struct clock *reads;
	bool has_stores; /* atomic: since then it knows all accesses to the same bytes */
	uint8_t size;	 /* atomic: of the largest access */
	/* how many there were; never goes back, also when the object is another one */
	uint32_t sections;
	uint32_t spills; /* how often `spilled` grew */
	struct section *kept;
	/* Until `gone`: what a section of a lock needs, in as few lines of the cache as possible.
	 */
	struct clock *spilled; /* what later sections must be ordered after, whatever they do */
	struct clock *old;     /* joined release clocks that are not kept one by one any more */
	struct clock *ordered; /* nest.c: releases that every later section is after */
	struct use *uses;      /* by slot */
	struct open_section writer; /* nest.c; since 0: none */
	uint32_t uses_room;
	/* sections from this number on, still open, are spilled when they end; 0: none */
	uint32_t spill_from;
	uint32_t first_edge; /* lock orders: list of locks acquired while it was held */
	/* nest.c: sections that others have seen begin before they saw them end */
	uint32_t leaks;
	uint32_t open_count; /* nest.c: 1 for a writer; readers are in `readers` */
	uint32_t gone_room;
	struct epochs *gone; /* nest.c, by slot: leaks among what `old` has */
	struct open_section *readers;
	uint32_t readers_room;
	struct waiter *waiters;
	struct past signal; /* the last signal that nobody waited for; epoch 0: none */
	bool is_aimed_at;   /* by an edge of the lock orders */
	uint32_t made_stack;
} __attribute__((aligned(64)));

extern struct sync *g_syncs;
void sync_init(void);
/*
 * The object at an address, made if there is none; NULL if there are too many.  Returned with its
 * guard taken.
 */
struct sync *sync_get(struct thr *t, uintptr_t address, enum sync_kind kind);
/* Without making it; guarded, NULL if there is none. */
struct sync *sync_find(struct thr *t, uintptr_t address);
/* The same for an atomic of `size` bytes.  If some of them are another's, g.has_odd_atomics says
 * so. */
struct sync *sync_get_atomic(struct thr *t, uintptr_t address, unsigned size);
struct sync *sync_find_atomic(struct thr *t, uintptr_t address, unsigned size);
struct sync *sync_find_any_atomic(struct thr *t, uintptr_t address); /* whatever its size is */
/* Guarded: those of other atomics that have some of these bytes. */
typedef void sync_visit(struct thr *t, struct sync *s, int argument);
void sync_around(struct thr *t, uintptr_t address, unsigned size, sync_visit *visit, int argument);
void sync_put(struct sync *s);
uint32_t sync_index(const struct sync *s);
static inline struct met *met_at(struct thr *t, uintptr_t address)
{
	return &t->met[(address >> 3 ^ address >> 9) % SYNC_CACHE];
}

/* Before an object is needed which the thread has probably met. */
static inline void sync_fetch(struct thr *t, uintptr_t address)
{
	const struct met *m = met_at(t, address);
	run_fetch(&g_syncs[m->index]);
	run_fetch(m->clock);
	run_fetch(m->reads);
}

void sync_forget(uintptr_t address, size_t size); /* memory is given back */
bool sync_has_any(uintptr_t address, size_t size);
void sync_use(struct thr *t, struct sync *s, enum finding_act act, uint32_t stack);
/* The objects in this memory end; `act` says how. */
void sync_end(struct thr *t, uintptr_t address, size_t size, enum finding_act act, uint32_t stack);
/* The object at this address ends, which a report is to call `name`. */
void sync_end_as(struct thr *t, uintptr_t address, uintptr_t name, enum finding_kind kind,
		 enum finding_act act, uint32_t stack);
/* Hard edges. */
void sync_send(struct thr *t, struct sync *s); /* s keeps what it has, too */
void sync_receive(struct thr *t, struct sync *s);

/* ---- order.c: which lock was acquired while which was held ---- */
/* before it is waited for */
void lock_order_acquire(struct thr *t, uint32_t lock, uint32_t stack);
void lock_order_forget(uint32_t lock);

/* ---- what was found: report.c, or the driver of the tests ---- */
void run_found(const struct found *f);

/* ---- stacks.c: which memory is a thread's stack ---- */
void stacks_add(struct thr *t, uintptr_t low, size_t size);
void stacks_remove(struct thr *t);
/* Memory on the stack of another thread: its owner's accesses may have no hooks. */
static inline bool is_foreign_stack(const struct thr *t, uintptr_t address)
{
	uintptr_t chunk = (address & ADDRESS_MASK) >> 16;
	return ((const uint8_t *)STACKS_BASE)[chunk >> 3] >> (chunk & 7) & 1 &&
	       address - t->stack_low >= t->stack_size;
}

/* ---- wrap_signal.c ---- */
#define PENDING_MAX 4
void signals_begin(struct thr *t);
void signals_deliver(struct thr *t); /* those that had to wait */
/* Between these two handlers wait, and so does a fork of another thread. */
static inline void run_enter(struct thr *t)
{
	if (likely(t))
		__atomic_store_n(&t->busy, (uint16_t)(t->busy + 1), __ATOMIC_RELAXED);
	else
		__atomic_add_fetch(&g.strangers, 1, __ATOMIC_SEQ_CST);
}
static inline void run_leave(struct thr *t)
{
	if (unlikely(!t)) {
		__atomic_sub_fetch(&g.strangers, 1, __ATOMIC_RELEASE);
		return;
	}
	uint16_t busy = (uint16_t)(t->busy - 1);
	__atomic_store_n(&t->busy, busy, __ATOMIC_RELEASE);
	if (!busy && unlikely(t->has_pending) && !t->looking)
		signals_deliver(t);
}

/* ---- history.c ---- */
void history_far_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
			uintptr_t pc);
#define HISTORY_FREE 4u /* beside the flags of a cell: the memory is given back */
/* An access as one word: address, size, kind, and the distance from the last program counter. */
static inline void history_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
				  uintptr_t pc)
{
	intptr_t step = (intptr_t)(pc - t->last_pc);
	if (unlikely(t->next >= t->end || (uintptr_t)step + 0x7fff > 0xfffe)) {
		history_far_access(t, address, size, flags, pc);
		return;
	}
	t->last_pc = pc;
	*t->next++ = (address & ADDRESS_MASK) << 20 | (uint64_t)(size - 1) << 17 |
		     (uint64_t)(flags & 1) << 16 | (uint16_t)step;
}
uint32_t history_place(struct thr *t);
/* number of the current call stack, innermost pc */
uint32_t stack_now(struct thr *t, uintptr_t pc);

#endif
