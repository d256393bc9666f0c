/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change points of PCT.
 *
 * With d-1 changes, drawn from the k hooks of an execution of n threads, and random initial
 * priorities, a bug that needs d ordered pairs of steps is found with a probability of at least
 * 1/(n*k^(d-1)).  This needs priorities of changes that are as random as their places: a thread
 * that is lowered later may stay above one that was lowered before.
 *
 * If k is not known, changes are drawn from a window of WINDOW hooks, then from one that is twice
 * as long, and so on.  So there are changes in short executions as well as in long ones.  But
 * changes in the first windows disturb what follows, and the bound does not hold.  One seed in
 * PLAIN_SEEDS therefore draws the length of its first window, WINDOW * 2^1 .. WINDOW * 2^DOUBLINGS.
 * If that is k .. 2*k, which has a chance of 1/DOUBLINGS, the bound is 1/(n*(2*k)^(d-1)).
 *
 * Priorities of a window are below those of the windows before.  Otherwise the thread that waits
 * would have the lowest of all that were drawn, and hardly any later change would go below it.
 *
 * The place of the first change is not drawn: from seed to seed it goes through the window in even
 * steps.  So few consecutive seeds come to every part of it, and any place has the same chance if
 * the seed is random.
 */
#include "rt/pct.h"
#include "rt/rt.h"

#define WINDOW 8
#define PLAIN_SEEDS 8
#define DOUBLINGS 24
#define WINDOW_MAX (1ull << 40)
#define BAND ((PCT_INITIAL - PCT_LOWEST) / 64) /* priorities of a window; there are at most 38 */

struct change {
	uint64_t at;
	uint32_t priority;
};

static RT_KEPT struct change changes[PCT_CHANGES_MAX]; /* sorted */
static RT_STATE uint32_t changes_count, changes_next;
static RT_STATE uint64_t random_state, run_seed;
static RT_STATE uint64_t window_from, window_size; /* size 0: the length is known */
static RT_STATE uint32_t window_top;		   /* priorities of the window are below this */

static uint64_t random_below(uint64_t n)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull; /* SplitMix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (uint64_t)((unsigned __int128)(z ^ z >> 31) * n >> 64);
}

/* Below n: consecutive seeds get numbers that are far apart, by the golden ratio. */
static uint64_t spread(uint64_t n)
{
	return (uint64_t)((unsigned __int128)(run_seed * 0x9e3779b97f4a7c15ull) * n >> 64);
}

static void draw(uint64_t from, uint64_t size)
{
	for (uint32_t i = 0; i < changes_count; i++) {
		struct change c = { from + 1 + (i ? random_below(size) : spread(size)),
				    window_top - 1 - (uint32_t)random_below(BAND) };
		uint32_t k = i;
		for (; k && changes[k - 1].at > c.at; k--)
			changes[k] = changes[k - 1];
		changes[k] = c;
	}
	changes_next = 0;
}

void pct_begin(uint64_t seed, uint64_t count, uint64_t length)
{
	random_state = seed * 0x2545f4914f6cdd1dull + 0x1b873593;
	changes_count = (uint32_t)(count < PCT_CHANGES_MAX ? count : PCT_CHANGES_MAX);
	run_seed = seed;
	window_from = 0;
	window_top = PCT_INITIAL;
	window_size = length ? 0 : WINDOW;
	if (seed % PLAIN_SEEDS == 0)
		window_size <<= 1 + random_below(DOUBLINGS);
	draw(0, length ? length : window_size);
}

static bool begin_next_window(void)
{
	if (!window_size || window_size >= WINDOW_MAX || !changes_count)
		return false;
	window_from += window_size;
	window_size *= 2;
	window_top -= BAND;
	draw(window_from, window_size);
	return true;
}

uint64_t pct_next(void)
{
	if (changes_next == changes_count && !begin_next_window())
		return PCT_NEVER;
	return changes[changes_next].at;
}

bool pct_is_due(uint64_t now, uint32_t *priority)
{
	bool is_due = false;
	for (; pct_next() <= now; changes_next++) {
		*priority = changes[changes_next].priority;
		is_due = true;
	}
	return is_due;
}
