/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random interleavings through the reference and through the analysis of `heddle run`.
 *
 *   edc_compare COUNT [SEED]
 *
 * With many cells and sections nothing may be missed; with the real limits the analysis may
 * report less, never more.  With a deliberate fault there must be a difference: then the status is
 * 1, and the first difference is printed as a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* Locks nest mostly; a variable of the last ones is freed at most once, and not accessed
 * afterwards. */
static void generate(struct trace *t)
{
	int holder[LOCKS], readers[LOCKS] = { 0 }, stack[THREADS][LOCKS], depth[THREADS] = { 0 };
	bool is_reading[THREADS][LOCKS] = { 0 }, is_freed[VARS] = { 0 };
	int threads = 2 + (int)below(THREADS - 1), length = 10 + (int)below(EVENTS - 30);
	unsigned vars = 1 + below(VARS), locks = 1 + below(LOCKS);
	bool is_disciplined = below(2); /* no access without a lock */
	/* two threads, two locks that nest, one block and what orders it */
	bool is_dense = !below(3);
	bool has_many_edges = below(3) == 1; /* hand-overs inside of sections */
	unsigned acquires = 25;
	if (is_dense) {
		threads = 2;
		locks = 2;
		acquires = 40;
	}
	memset(holder, -1, sizeof(holder));
	t->count = 0;
	while (t->count < length) {
		int who = (int)below((unsigned)threads);
		unsigned dice = below(100);
		struct event e = { .thread = who };
		if (dice < acquires) {
			int m = (int)below(locks);
			bool reads = m == LOCKS - 1 && below(2);
			if (holder[m] >= 0 || (!reads && readers[m]) || is_reading[who][m])
				continue;
			if (reads)
				readers[m]++;
			else
				holder[m] = who;
			is_reading[who][m] = reads;
			stack[who][depth[who]++] = m;
			e.op = reads ? ACQUIRE_READ : ACQUIRE;
			e.what = m;
		} else if (dice < acquires + 25) {
			if (!depth[who])
				continue;
			int at = below(8) ? depth[who] - 1 : (int)below((unsigned)depth[who]);
			int m = stack[who][at];
			depth[who]--;
			memmove(&stack[who][at], &stack[who][at + 1],
				(size_t)(depth[who] - at) * sizeof(int));
			if (is_reading[who][m])
				readers[m]--;
			else
				holder[m] = -1;
			is_reading[who][m] = false;
			e.op = RELEASE;
			e.what = m;
		} else if (dice < acquires + 25 + (is_dense ? 1 : has_many_edges ? 25 : 6)) {
			e.op = below(2) ? SEND : RECEIVE;
			e.what = (int)below(OBJECTS);
		} else {
			e.what = (int)below(8) < 6 ? (int)below(vars)
						   : VARS - 1 - (int)below(BLOCKS);
			if (is_dense)
				e.what = below(3) ? VARS - 1 : 2;
			if (is_freed[e.what] || (is_disciplined && !depth[who]))
				continue;
			e.op = below(2) ? READ : WRITE;
			if (e.what >= VARS - BLOCKS && !below(is_dense ? 8 : 4)) {
				e.op = FREE;
				is_freed[e.what] = true;
			}
		}
		t->at[t->count++] = e;
	}
	for (int who = 0; who < threads; who++)
		while (depth[who] && t->count < EVENTS)
			t->at[t->count++] =
				(struct event){ who, RELEASE, stack[who][--depth[who]] };
}

static void print(const struct trace *t)
{
	static const char *const names[] = { "rd x",   "wr x",	"free x", "acq m",
					     "racq m", "rel m", "send o", "recv o" };
	for (int i = 0; i < t->count; i++)
		printf("# T%d %s%d\n", t->at[i].thread, names[t->at[i].op], t->at[i].what);
}

/* A pair that is observed need not be predicted, too: any access of a thread may show it. */
static bool has(const struct reports *r, int k, int x, int u, int t)
{
	return r->has[k][x][u][t] && !(k & 1 && r->has[k - 1][x][u][t]);
}

/* What is reported must be in `all`, what is in `needed` must be reported. */
static const char *difference(const struct reports *all, const struct reports *needed,
			      const struct reports *got)
{
	static const char *const kinds[] = { "race", "predicted race", "use after free",
					     "predicted use after free" };
	static char text[128];
	for (int i = 0; i < KINDS * VARS * THREADS * THREADS; i++) {
		int k = i / THREADS / THREADS / VARS, x = i / THREADS / THREADS % VARS,
		    u = i / THREADS % THREADS, t = i % THREADS;
		bool is_wrong = got->has[k][x][u][t] && !all->has[k][x][u][t] &&
				!(k & 1 && all->has[k - 1][x][u][t]);
		bool is_missed = has(needed, k, x, u, t) && !got->has[k][x][u][t] &&
				 !(k & 1 && got->has[k - 1][x][u][t]);
		if (!is_wrong && !is_missed)
			continue;
		snprintf(text, sizeof(text), "%s of x%d, T%d and T%d: %s", kinds[k], x, u, t,
			 is_wrong ? "not so" : "missed");
		return text;
	}
	return NULL;
}

static unsigned count_of(const struct reports *r)
{
	unsigned n = 0;
	const bool *all = &r->has[0][0][0][0];
	for (size_t i = 0; i < sizeof(r->has); i++)
		n += all[i];
	return n;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	unsigned long wanted = 0, found = 0;
	for (long i = 0; i < count; i++) {
		struct trace t;
		struct reports all, needed, got;
		state = (seed + (unsigned long)i) * 0x9e3779b97f4a7c15ull;
		generate(&t);
		reference_run(&t, false, &all);
		reference_run(&t, true, &needed);
		/* Reads after racy writes are more order, that is fewer pairs: not missed, only
		 * not wrong. */
		bool sees_writes = i % 4 == 3;
		if (!online_is_unlimited || sees_writes)
			memset(&needed, 0, sizeof(needed));
		online_run(&t, &got, online_is_unlimited ? 64 : 2, sees_writes);
		wanted += count_of(&all);
		found += count_of(&got);
		const char *wrong = difference(&all, &needed, &got);
		if (wrong) {
			printf("trace %lu: %s\n", seed + (unsigned long)i, wrong);
			print(&t);
			return 1;
		}
	}
	printf("%ld traces, %lu pairs by the reference, %lu of them by the analysis\n", count,
	       wanted, found);
	return 0;
}
