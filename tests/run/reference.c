/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corrected EDC analysis (OVPredict 2.4 with the repairs of 10.1, 10.2 and 10.6), written down as
 * directly as possible: full vector clocks everywhere, no epochs in place of clocks, no limit, no forgetting.
 * It shares nothing with src/run.
 *
 * C[t] and H[t] are the weak and the happens-before clock of thread t.  L[m][x][k] is the join of the weak
 * clocks at the releases of sections of m in which x was read or written (k), kept apart for the two modes in
 * which m can be held: two reading sections do not order each other.  last[x][k][t] is t's last access; a
 * write also stands for the reads before it, because whatever comes before an earlier access of a thread also
 * comes before its later ones.
 *
 * A write makes earlier accesses of other threads superfluous if both orders place them before it and it
 * holds all their locks for writing: who conflicts with them and is not ordered after them is not ordered
 * after the write either.  The analysis may leave out such pairs, so that there are two answers: all pairs,
 * and those that must be told.
 *
 * A pair under a common lock needs both sections the other way round, the older one as a whole after the
 * younger: not if anything of it, from its acquire on, is before the release of the younger one.
 */
#include <string.h>

#include "trace.h"

enum { R, W };
typedef unsigned clock_v[THREADS];

struct access {
	unsigned epoch;		/* 0: none */
	int place;		/* in the trace */
	bool held[LOCKS], is_writing[LOCKS];
	unsigned since[LOCKS];	/* when they were acquired */
};

struct candidate {
	bool is_open;
	int var, older, kind;
	unsigned since[LOCKS];
	bool common[LOCKS];
};

static struct {
	clock_v C[THREADS], H[THREADS];
	clock_v L[LOCKS][VARS][2][2];		/* lock, variable, access, mode */
	clock_v lock_h[LOCKS], readers_h[LOCKS];
	clock_v object_c[OBJECTS], object_h[OBJECTS];
	bool touched[THREADS][LOCKS][VARS][2];	/* in the open section of that lock */
	bool held[THREADS][LOCKS], is_writing[THREADS][LOCKS];
	unsigned since[THREADS][LOCKS];
	struct access last[VARS][2][THREADS];
	struct candidate open[THREADS][4 * VARS * THREADS];
	int open_count[THREADS];
	bool leaves_out;
	int places;
} s;

static void join(clock_v to, const clock_v from)
{
	for (int i = 0; i < THREADS; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

static void copy(clock_v to, const clock_v from)
{
	memcpy(to, from, sizeof(clock_v));
}

static void tick(int t)
{
	s.C[t][t]++;
	s.H[t][t]++;
}

static void target(int t, int x, int u, const struct access *a, struct reports *r)
{
	if (u == t || !a->epoch || (a->epoch <= s.C[t][u] && a->epoch <= s.H[t][u]))
		return;
	int kind = a->epoch <= s.H[t][u] ? UAF_PREDICTED : UAF_SEEN;
	struct candidate c = { .is_open = true, .var = x, .older = u, .kind = kind };
	bool is_common = false;
	memcpy(c.since, a->since, sizeof(c.since));
	for (int m = 0; m < LOCKS; m++) {
		c.common[m] = a->held[m] && s.held[t][m] && (a->is_writing[m] || s.is_writing[t][m]);
		is_common |= c.common[m];
	}
	if (is_common)
		s.open[t][s.open_count[t]++] = c;
	else
		report(r, kind, x, u, t);
}

static bool is_superfluous(int t, int u, const struct access *a)
{
	for (int m = 0; m < LOCKS; m++)
		if (a->held[m] && !(s.held[t][m] && s.is_writing[t][m]))
			return false;
	return a->epoch <= s.C[t][u] && a->epoch <= s.H[t][u];
}

static void access(int t, int x, int k, struct reports *r)
{
	for (int m = 0; m < LOCKS; m++) {
		if (!s.held[t][m])
			continue;
		for (int old = R; old <= W; old++) {
			for (int mode = 0; mode < 2; mode++)
				if ((old == W || k == W) && (mode || s.is_writing[t][m]))
					join(s.C[t], s.L[m][x][old][mode]);
		}
		s.touched[t][m][x][k] = true;
	}
	for (int old = R; old <= W; old++) {
		for (int u = 0; u < THREADS; u++) {
			unsigned e = s.last[x][old][u].epoch;
			bool is_ordered = e <= s.C[t][u] && e <= s.H[t][u];
			if (u == t || !e || (old == R && k == R) || is_ordered)
				continue;
			report(r, e <= s.H[t][u] ? RACE_PREDICTED : RACE_SEEN, x, u, t);
		}
	}
	struct access *a = &s.last[x][k][t];
	a->epoch = s.C[t][t];
	a->place = ++s.places;
	memcpy(a->held, s.held[t], sizeof(a->held));
	memcpy(a->is_writing, s.is_writing[t], sizeof(a->is_writing));
	memcpy(a->since, s.since[t], sizeof(a->since));
	if (k != W)
		return;
	s.last[x][R][t].epoch = 0;
	for (int u = 0; u < THREADS; u++) {
		if (u == t)
			continue;
		for (int old = R; old <= W && s.leaves_out; old++)
			if (is_superfluous(t, u, &s.last[x][old][u]))
				s.last[x][old][u].epoch = 0;
	}
}

static void release(int t, int m, struct reports *r)
{
	for (int x = 0; x < VARS; x++) {
		for (int k = R; k <= W; k++) {
			if (s.touched[t][m][x][k])
				join(s.L[m][x][k][s.is_writing[t][m]], s.C[t]);
			s.touched[t][m][x][k] = false;
		}
	}
	for (int i = 0; i < s.open_count[t]; i++) {
		struct candidate *c = &s.open[t][i];
		if (!c->is_open || !c->common[m])
			continue;
		c->common[m] = false;
		bool is_last = true;
		for (int n = 0; n < LOCKS; n++)
			is_last &= !c->common[n];
		if (c->since[m] <= s.C[t][c->older])
			c->is_open = false;
		else if (is_last)
			report(r, c->kind, c->var, c->older, t), c->is_open = false;
	}
	if (s.is_writing[t][m])
		copy(s.lock_h[m], s.H[t]);
	else
		join(s.readers_h[m], s.H[t]);
	s.held[t][m] = false;
	tick(t);
}

static void step(const struct event *e, struct reports *r)
{
	int t = e->thread, w = e->what;
	switch (e->op) {
	case READ:
		access(t, w, R, r);
		break;
	case WRITE:
		access(t, w, W, r);
		break;
	case FREE:
		/*
		 * The last access of each thread decides: who comes before an earlier one comes before it,
		 * too.
		 */
		for (int u = 0; u < THREADS; u++) {
			const struct access *read = &s.last[w][R][u], *write = &s.last[w][W][u];
			target(t, w, u, read->epoch && read->place > write->place ? read : write, r);
		}
		break;
	case ACQUIRE:
		join(s.H[t], s.readers_h[w]);
		/* fall through */
	case ACQUIRE_READ:
		join(s.H[t], s.lock_h[w]);
		s.held[t][w] = true;
		s.is_writing[t][w] = e->op == ACQUIRE;
		s.since[t][w] = s.C[t][t];
		break;
	case RELEASE:
		release(t, w, r);
		break;
	case SEND:
		join(s.object_c[w], s.C[t]);
		join(s.object_h[w], s.H[t]);
		tick(t);
		break;
	case RECEIVE:
		join(s.C[t], s.object_c[w]);
		join(s.H[t], s.object_h[w]);
		break;
	}
}

void reference_run(const struct trace *t, bool leaves_out, struct reports *r)
{
	memset(&s, 0, sizeof(s));
	s.leaves_out = leaves_out;
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < THREADS; i++)
		s.C[i][i] = s.H[i][i] = 1;
	for (int i = 0; i < t->count; i++)
		step(&t->at[i], r);
}
