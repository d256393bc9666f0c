/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads without races, in parallel, through the analysis of `heddle run`: nothing may be found.
 *
 *   storm ROUNDS [SEED [EVERY [threads]]] one round of EVERY is interleaved (default: 4)
 *
 * Every round has a few threads and three kinds of shared data:
 *
 * - Things.  A thing has an owner, kept in one byte under a mutex or a read-write lock of its own.
 *   A thread that finds itself the owner uses the thing without any lock and then passes it to
 *   another thread.  So the accesses to a thing are ordered only by the conflicts at the owner
 *   bytes, many of which are in the same granule: if an access to them is lost, an edge is
 *   missing, and a race of the thing is reported.  Beside that there are bytes under locks of
 *   their own, words that all threads only read, and nested locks.
 *
 * - Shops.  One thread, the keeper, closes the shop by an atomic flag, without the lock; acquires
 *   the lock once, so that no other thread is inside; accesses the shop alone; and opens it again.
 *   The other threads enter under the lock if they see that the shop is open.  So a thread that was
 *   inside is before the close only because it did not see the flag, and a thread that enters
 *   later is after the keeper only because it saw the flag.  Often the shop opens with a new flag,
 *   to which no store was ever made.
 *
 * - Presents.  The giver writes one without a lock, passes through an empty section, and sets a
 *   plain flag.  The receiver polls the flag, passes through an empty section of the same lock, and
 *   reads the present.  The race on the flag is real.  The present has none: only a thread that
 *   has seen the flag reads it.  The analysis must know that although the receiver may be
 *   preempted between the hook and the load of the flag.
 *
 * In most rounds the threads run one whole step at a time, which is much faster and tests the
 * orders; in the others they are interleaved, which tests the protocol of the shadow.
 *
 * The core is compiled with few stamps, so that the shadow is reset all the time, and with WIDEN,
 * which lets other threads run between two steps of an access: mostly for a moment, sometimes
 * until all stamps have been reused.  Threads are fibers of one OS thread, scheduled at random by
 * the seed: a round does the same on every machine.  With `threads` they are OS threads, in
 * parallel.
 *
 * Above 500 lines because it is a program of its own, with one use.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "core/outside.h"
#include "run/ticks.h"

#define THREADS 4
#define THINGS 8
#define STEPS 400
#define FLAGS (THINGS * 32) /* for THINGS shops one after the other, and again */
#define BASE 0x200000ul
#define NAP_RARELY 16384
#define NAP 1000000 /* nanoseconds, in which others use all stamps */

/* Addresses of the analysed program; nothing is ever stored there. */
#define FAR 0x80000000000ul /* cleared at another time */
#define OWNERS (BASE + (world.is_far ? FAR : 0))
#define THING (BASE + 64 + (world.is_far ? 0 : FAR))
#define BYTES (BASE + 256)
#define CONSTANTS (BASE + 320)
#define INSIDE (BASE + 384)
#define WHICH (BASE + 448)
#define LOCK (BASE + 512)
#define PRESENT (BASE + 640)
#define SAID (BASE + 4096) /* a flag of eight bytes for each present of each thing */
#define PRESENTS 64

static struct {
	pthread_rwlock_t lock[THINGS]; /* of the owner, and of a byte */
	bool is_shared[THINGS];	       /* readers may overlap */
	int owner[THINGS];
	bool is_far;			 /* owners are, and not the things */
	unsigned things, threads, bytes; /* bytes: distance of the owners */
	uint64_t seed;
	bool is_in_turns; /* one step after the other */
	bool has_threads; /* of the kernel, instead of fibers */
	/*
	 * Flags of the shops: neighbours, or each with lines of its own, so that others look for
	 * its object while it is made.
	 */
	uint8_t is_closed[64 * FLAGS] __attribute__((aligned(64)));
	unsigned flags_apart;
	bool has_mixed_loads;  /* of two flags */
	unsigned flag[THINGS]; /* which one it is, changed under the lock */
	/* presents: known to the giver, and to the receiver */
	unsigned given[THINGS], received[THINGS];
	bool is_said[THINGS][PRESENTS];
	/* by an atomic store: the giver may write the next one */
	uint8_t is_thanked[THINGS][PRESENTS];
} world;

uint8_t __tsan_atomic8_load(const volatile uint8_t *a, int order);
uint16_t __tsan_atomic16_load(const volatile uint16_t *a, int order);
void __tsan_atomic8_store(volatile uint8_t *a, uint8_t v, int order);
uint8_t __tsan_atomic8_exchange(volatile uint8_t *a, uint8_t v, int order);
int __tsan_atomic8_compare_exchange_strong(volatile uint8_t *a, uint8_t *want, uint8_t v, int order,
					   int failed);

static unsigned parallel_every;
static __thread uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* ---- fibers ---- */

#define FIBER_STACK (256u << 10)
#define NAP_RESETS 8	  /* a fiber that naps lets the others reset the shadow four times */
#define NAP_SWITCHES 4000 /* or so often, as they may wait for it */

static struct fiber {
	ucontext_t context;
	char *stack;
	uint64_t state;
	struct thr *self;
	uint32_t naps_until; /* run_state.resets; 0: it does not nap */
	uint64_t nap_ends;   /* switches */
	bool is_over;
} fibers[THREADS];
static ucontext_t outside;
static int running = -1; /* which of them; -1: none */
static uint64_t choice;	 /* random state of the scheduler of fibers */
static uint64_t switches;

static bool can_run(unsigned i)
{
	const struct fiber *f = &fibers[i];
	return !f->is_over &&
	       ((int)(run_state.resets - f->naps_until) >= 0 || switches >= f->nap_ends);
}

/* One of those that can run, not this one if there is another; all nap: the first is woken up. */
static int next_fiber(void)
{
	int can[THREADS], n = 0, first = -1;
	for (unsigned i = 0; i < world.threads; i++) {
		if (fibers[i].is_over)
			continue;
		first = first < 0 ? (int)i : first;
		if ((int)i != running && can_run(i))
			can[n++] = (int)i;
	}
	choice = choice * 6364136223846793005ull + 1442695040888963407ull;
	if (n)
		return can[(choice >> 33) % (unsigned)n];
	return running >= 0 && can_run((unsigned)running) ? running : first;
}

static void switch_fiber(void)
{
	switches++;
	int from = running, to = next_fiber();
	if (to == from)
		return;
	fibers[from].state = state;
	fibers[from].self = run_self;
	running = to;
	state = fibers[to].state;
	run_self = fibers[to].self;
	fibers[to].naps_until = 0;
	swapcontext(&fibers[from].context, &fibers[to].context);
}

void run_waits(void)
{
	if (running >= 0)
		switch_fiber();
}

void run_widen(unsigned n)
{
	for (; state && !world.is_in_turns && n; n--) {
		bool yields = !below(8), naps = !below(NAP_RARELY);
		if (world.has_threads && yields)
			sched_yield();
		if (world.has_threads && naps)
			nanosleep(&(struct timespec){ 0, NAP }, NULL);
		if (running >= 0 && naps) {
			fibers[running].naps_until = run_state.resets + NAP_RESETS;
			fibers[running].nap_ends = switches + NAP_SWITCHES;
		}
		if (running >= 0 && (yields || naps))
			switch_fiber();
	}
}

void run_found(const struct found *f)
{
	static const char *const status[] = { "happened", "unordered", "predicted", "potential" };
	if (f->status == RUN_POTENTIAL ||
	    (f->address >= SAID && f->address < SAID + 8ul * THINGS * PRESENTS))
		return;
	printf("found: kind %d, %s, at %#lx, threads %u and %u, round %lu\n", f->kind,
	       status[f->status], (unsigned long)(f->address - BASE), f->past.slot, f->thr->slot,
	       (unsigned long)world.seed);
	fflush(stdout);
	_Exit(1);
}

static void lock(unsigned i, bool reads)
{
	reads &= world.is_shared[i];
	while (reads ? pthread_rwlock_tryrdlock(&world.lock[i])
		     : pthread_rwlock_trywrlock(&world.lock[i])) {
		if (running >= 0)
			switch_fiber();
		else
			sched_yield();
	}
	core_lock(run_self, LOCK + 8ul * i, reads ? HOLD_READ : HOLD_WRITE);
}

static void unlock(unsigned i)
{
	core_unlock(run_self, LOCK + 8ul * i);
	pthread_rwlock_unlock(&world.lock[i]);
}

static void access(uintptr_t address, unsigned size, bool writes)
{
	access_any(run_self, address, size, writes ? CELL_WRITE : 0, 0);
}

/* As the hooks do it. */
static void access_or_repeat(uintptr_t address, unsigned size, bool writes)
{
	uint32_t flags = writes ? CELL_WRITE : 0;
	if (!is_recorded(shadow_of(address), run_self->base | ((1u << size) - 1) << 2 | flags))
		access(address, size, writes);
	run_widen(4);
}

/* A byte under its lock, perhaps while a lock of a smaller number is held. */
static void touch(unsigned i, bool is_nested)
{
	bool reads = below(4), has_outer = is_nested && i && !below(3);
	unsigned outer = has_outer ? below(i) : 0;
	if (has_outer)
		lock(outer, below(2));
	lock(i, reads);
	access(BYTES + i, 1, !reads);
	access(CONSTANTS + 4 * below(4), 4, false);
	if (below(2))
		access(BYTES + i, 1, !reads);
	unlock(i);
	if (has_outer)
		unlock(outer);
}

/* Sometimes together with its neighbour. */
static bool is_closed(unsigned i)
{
	unsigned n = world.flag[i];
	if (world.has_mixed_loads && !below(4)) {
		uint16_t both = __tsan_atomic16_load((uint16_t *)&world.is_closed[n & ~1u],
						     __ATOMIC_ACQUIRE);
		return both >> 8 * (n & 1) & 0xff;
	}
	return __tsan_atomic8_load(&world.is_closed[n * world.flags_apart], __ATOMIC_ACQUIRE);
}

/* Taken and passed on in one section, after a load of a flag in it. */
static void pass_on(unsigned me, unsigned i)
{
	lock(i, false);
	access(WHICH + i, 1, false);
	is_closed(i);
	access(OWNERS + i * world.bytes, 1, false);
	if (world.owner[i] == (int)me) {
		access(THING + 8 * i + 4 * below(2), 4, true);
		access(OWNERS + i * world.bytes, 1, true);
		world.owner[i] = (int)below(world.threads);
	}
	unlock(i);
}

static void use(unsigned me, unsigned i)
{
	lock(i, true);
	if (below(2))
		access(CONSTANTS, 4, false);
	access(OWNERS + i * world.bytes, 1, false);
	bool is_mine = world.owner[i] == (int)me;
	if (is_mine && below(2))
		access(THING + 8 * i, 4, true);
	unlock(i);
	if (!is_mine)
		return;
	for (unsigned n = 1 + below(3); n; n--)
		access(THING + 8 * i + 4 * below(2), 4, below(3));
	lock(i, false);
	access(OWNERS + i * world.bytes, 1, true);
	/* Used after it was passed on, in the same section. */
	if (i + 1 < world.things && !below(4)) {
		touch(i + 1 + below(world.things - i - 1), false);
		access(THING + 8 * i, 8, true);
	}
	world.owner[i] = (int)below(world.threads);
	unlock(i);
}

static void close_shop(uint8_t *flag)
{
	uint8_t open = 0;
	switch (below(3)) {
	case 0:
		__tsan_atomic8_store(flag, 1, __ATOMIC_SEQ_CST);
		break;
	case 1:
		__tsan_atomic8_exchange(flag, 1, __ATOMIC_ACQ_REL);
		break;
	default:
		__tsan_atomic8_compare_exchange_strong(flag, &open, 1, __ATOMIC_ACQ_REL,
						       __ATOMIC_ACQUIRE);
	}
}

static void open_shop(uint8_t *flag, unsigned i)
{
	if (world.flag[i] + THINGS >= FLAGS || below(2)) {
		__tsan_atomic8_store(flag, 0, __ATOMIC_RELEASE);
		return;
	}
	lock(i, false);
	access(WHICH + i, 1, true);
	world.flag[i] += THINGS;
	unlock(i);
}

static void visit(unsigned me, unsigned i)
{
	if (me != i % world.threads) {
		lock(i, false);
		access(WHICH + i, 1, false);
		if (!is_closed(i))
			access(INSIDE + 8 * i, 4, true);
		unlock(i);
		return;
	}
	uint8_t *flag = &world.is_closed[world.flag[i] * world.flags_apart];
	if (!*flag) {
		close_shop(flag);
		lock(i, false);
		unlock(i);
	}
	access(INSIDE + 8 * i, 4, true);
	if (below(4))
		open_shop(flag, i);
}

static void pass_through(unsigned i)
{
	lock(i, false);
	unlock(i);
}

static void give(unsigned i)
{
	unsigned n = world.given[i];
	if (n == PRESENTS ||
	    (n && !__tsan_atomic8_load(&world.is_thanked[i][n - 1], __ATOMIC_ACQUIRE)))
		return;
	access(PRESENT + 8 * i, 4, true);
	pass_through(i);
	access_or_repeat(SAID + 8 * (i * PRESENTS + n), 4, true);
	__atomic_store_n(&world.is_said[i][n], true, __ATOMIC_RELEASE);
	world.given[i]++;
}

static void receive(unsigned i)
{
	unsigned n = world.received[i];
	if (n == PRESENTS)
		return;
	for (unsigned looks = 1 + below(world.is_in_turns ? 2 : 40); looks; looks--) {
		access_or_repeat(SAID + 8 * (i * PRESENTS + n), 4, false);
		if (!__atomic_load_n(&world.is_said[i][n], __ATOMIC_ACQUIRE))
			continue;
		pass_through(i);
		access(PRESENT + 8 * i, 4, true);
		__tsan_atomic8_store(&world.is_thanked[i][n], 1, __ATOMIC_RELEASE);
		world.received[i]++;
		return;
	}
}

/* Not the giver, and of several things not always from the same one. */
static unsigned receiver_of(unsigned i)
{
	return (i + 1 + (i & 1) % (world.threads - 1)) % world.threads;
}

static void step(unsigned me)
{
	unsigned i = below(world.things);
	switch (below(6)) {
	case 0:
		touch(i, true);
		break;
	case 1:
		visit(me, i);
		break;
	case 2:
		pass_on(me, i);
		break;
	case 3:
		if (me == i % world.threads)
			give(i);
		else if (me == receiver_of(i))
			receive(i);
		break;
	default:
		use(me, i);
	}
	if (!below(16))
		access(CONSTANTS + 8 * below(2), 8, false);
}

static void *work(void *value)
{
	unsigned me = (unsigned)(uintptr_t)value;
	run_self = run_state.slots[me];
	state = (world.seed * THREADS + me + 1) * 0x9e3779b97f4a7c15ull;
	for (unsigned n = 0; n < STEPS; n++)
		step(me);
	run_self = NULL;
	return NULL;
}

static void fiber_main(int me)
{
	work((void *)(uintptr_t)me);
	fibers[me].is_over = true;
	int to = next_fiber();
	if (to < 0)
		setcontext(&outside);
	running = to;
	state = fibers[to].state;
	run_self = fibers[to].self;
	fibers[to].naps_until = 0;
	setcontext(&fibers[to].context);
}

static void work_in_fibers(void)
{
	choice = world.seed * 0x9e3779b97f4a7c15ull + 1;
	for (unsigned i = 0; i < world.threads; i++) {
		struct fiber *f = &fibers[i];
		f->stack = f->stack ? f->stack : malloc(FIBER_STACK);
		f->is_over = false;
		f->naps_until = 0;
		f->state = 1;
		f->self = NULL;
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = f->stack;
		f->context.uc_stack.ss_size = FIBER_STACK;
		makecontext(&f->context, (void (*)(void))fiber_main, 1, (int)i);
	}
	volatile bool is_over = false;
	getcontext(&outside);
	if (!is_over) {
		is_over = true;
		running = 0;
		setcontext(&fibers[0].context);
	}
	running = -1;
	run_self = NULL;
}

static void work_in_turns(void)
{
	for (unsigned n = 0; n < STEPS * world.threads; n++) {
		unsigned me = below(world.threads);
		run_self = run_state.slots[me];
		step(me);
	}
	run_self = NULL;
}

/* Everything before the round is before it, everything in it is before the next. */
static void meet(void)
{
	struct clock *all = NULL;
	for (unsigned i = 0; i < THREADS; i++)
		clock_send(run_state.slots[i], &all);
	for (unsigned i = 0; i < THREADS; i++) {
		clock_join(run_state.slots[i], all);
		thr_tick(run_state.slots[i]);
	}
	clock_free(all);
}

static void round_of(uint64_t seed)
{
	pthread_t thread[THREADS];
	state = (seed + 1) * 0xd1342543de82ef95ull;
	world.seed = seed;
	world.things = 1 + below(below(2) ? THINGS : 3);
	world.threads = 2 + below(THREADS - 1);
	world.bytes = below(4) ? 1 : 8;
	world.is_far = below(2);
	world.flags_apart = below(2) ? 1 : 64;
	world.has_mixed_loads = world.flags_apart == 1 && below(2);
	run_state.has_mixed_atomics = false;
	memset(world.is_closed, 0, sizeof(world.is_closed));
	memset(world.given, 0, sizeof(world.given));
	memset(world.received, 0, sizeof(world.received));
	memset(world.is_said, 0, sizeof(world.is_said));
	memset(world.is_thanked, 0, sizeof(world.is_thanked));
	for (unsigned i = 0; i < THINGS; i++) {
		world.is_shared[i] = below(2);
		world.owner[i] = (int)below(world.threads);
		world.flag[i] = i;
		world.is_closed[i * world.flags_apart] = below(2);
	}
	object_remove((uintptr_t)world.is_closed, sizeof(world.is_closed));
	object_remove((uintptr_t)world.is_thanked, sizeof(world.is_thanked));
	meet();
	world.is_in_turns = seed % parallel_every;
	if (world.is_in_turns) {
		work_in_turns();
		return;
	}
	if (!world.has_threads) {
		work_in_fibers();
		return;
	}
	for (unsigned i = 0; i < world.threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < world.threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	parallel_every = argc > 3 && atoi(argv[3]) > 0 ? (unsigned)atoi(argv[3]) : 4;
	world.has_threads = argc > 4;
	core_begin();
	for (uint32_t i = 0; i < THREADS; i++)
		thr_new(i);
	for (unsigned i = 0; i < THINGS; i++)
		pthread_rwlock_init(&world.lock[i], NULL);
	for (unsigned long i = 0; i < rounds; i++)
		round_of(seed + i);
	printf("%lu rounds without a finding, the shadow was cleared %u times\n", rounds,
	       run_state.resets / 2);
	return 0;
}
