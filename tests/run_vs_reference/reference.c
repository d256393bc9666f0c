/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corrected EDC analysis (OVPredict 2.4 with the repairs of 10.1, 10.2 and 10.6), written
 * as directly as possible: full vector clocks everywhere, no epochs in place of clocks, no limits.
 * It shares no code with src/run.
 *
 * C[t] and H[t] are the weak and the happens-before clock of thread t.  Every critical section is
 * kept, with the variables that were read and written in it and the weak clock at its release.
 * Two sections of one lock exclude each other unless both hold it for reading.  last[x][k][t] is
 * t's last access; a write also represents the reads before it, because what is before an earlier
 * access of a thread is before its later ones.
 *
 * Edges between sections that exclude each other, S1 the earlier one:
 *
 * - The release of S1 is before an access in S2 that conflicts with one in S1.
 * - If the acquire of S1 is before anything in S2, the release of S1 is before it, too (settle).
 * - An access of another thread between acquire and release of S2 is inside S2.  While S2 is open,
 *   a thread that has seen its acquire counts as inside (is_within), and is ordered after
 *   conflicting sections as S2 itself is.  If the thread of S2 learns of an action of a thread that
 *   had seen the acquire, S2 is before all later sections of the lock (has_nested).
 *
 * A write makes earlier accesses of other threads superfluous if both orders have them before it
 * and it holds all their locks for writing: an access that conflicts with them and is not ordered
 * after them is not ordered after the write either.  The analysis may leave out such pairs.  So
 * there are two results: all pairs, and those that must be reported.
 *
 * A pair under a common lock can only be reversed together with its sections, the older one as a
 * whole after the younger one: it is decided at the release of the younger one.
 */
#include <string.h>

#include "trace.h"

enum { R, W };
typedef unsigned clock_v[THREADS];

struct access {
	unsigned epoch; /* 0: none */
	int place;	/* in the trace */
	bool held[LOCKS], is_writing[LOCKS];
};

struct candidate {
	bool is_open;
	int var, older, kind;
	unsigned epoch;
	bool common[LOCKS];
};

struct section {
	int thread, lock;
	bool is_writing, is_over, has_nested;
	bool touched[VARS][2];
	unsigned since, end; /* epochs of acquire and release */
	clock_v clock;	     /* at the release */
};

static struct {
	clock_v C[THREADS], H[THREADS];
	struct section sections[EVENTS];
	int section_count;
	struct section *open_section[THREADS][LOCKS]; /* NULL: it does not hold the lock */
	clock_v ordered[LOCKS];
	clock_v lock_h[LOCKS], readers_h[LOCKS];
	clock_v object_c[OBJECTS], object_h[OBJECTS];
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

static bool holds(int t, int m)
{
	return s.open_section[t][m];
}

static bool is_writing(int t, int m)
{
	return holds(t, m) && s.open_section[t][m]->is_writing;
}

/* What t learns in a section may have been done inside it. */
static void join_weak(int t, const clock_v from)
{
	for (int m = 0; m < LOCKS; m++) {
		struct section *a = s.open_section[t][m];
		for (int u = 0; u < THREADS; u++)
			if (a && u != t && from[t] >= a->since && from[u] > s.C[t][u] &&
			    s.C[u][t] >= a->since)
				a->has_nested = true;
	}
	join(s.C[t], from);
}

static void settle(int t)
{
	for (int i = 0; i < s.section_count; i++) {
		const struct section *a = &s.sections[i];
		if (!a->is_over || !holds(t, a->lock) ||
		    !(a->is_writing || is_writing(t, a->lock)) || a->thread == t ||
		    a->since > s.C[t][a->thread] || a->end <= s.C[t][a->thread])
			continue;
		join_weak(t, a->clock);
		i = -1;
	}
}

static void learn(int t, const clock_v from)
{
	join_weak(t, from);
	settle(t);
}

/* May t be inside a section of another thread that excludes those in this mode? */
static bool is_within(int t, int m, bool writes)
{
	for (int u = 0; u < THREADS; u++)
		if (u != t && holds(u, m) && (writes || is_writing(u, m)) &&
		    s.open_section[u][m]->since <= s.C[t][u])
			return true;
	return false;
}

static bool excludes(int t, const struct section *a)
{
	if (holds(t, a->lock))
		return a->is_writing || is_writing(t, a->lock);
	return is_within(t, a->lock, a->is_writing);
}

static void join_conflicting_sections(int t, int x, int k)
{
	for (int i = 0; i < s.section_count; i++) {
		const struct section *a = &s.sections[i];
		bool is_conflict = a->touched[x][W] || (k == W && a->touched[x][R]);
		if (a->thread == t || !a->is_over || !is_conflict || a->end <= s.C[t][a->thread] ||
		    !excludes(t, a))
			continue;
		learn(t, a->clock);
		i = -1;
	}
}

static void target(int t, int x, int u, const struct access *a, struct reports *r)
{
	if (u == t || !a->epoch || (a->epoch <= s.C[t][u] && a->epoch <= s.H[t][u]))
		return;
	int kind = a->epoch <= s.H[t][u] ? UAF_PREDICTED : UAF_SEEN;
	for (int m = 0; m < LOCKS; m++)
		if (kind == UAF_PREDICTED && a->held[m] && !holds(t, m) &&
		    is_within(t, m, a->is_writing[m]))
			return;
	struct candidate c = {
		.is_open = true, .var = x, .older = u, .kind = kind, .epoch = a->epoch
	};
	bool is_common = false;
	for (int m = 0; m < LOCKS; m++) {
		c.common[m] = a->held[m] && holds(t, m) && (a->is_writing[m] || is_writing(t, m));
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
		if (a->held[m] && !is_writing(t, m))
			return false;
	return a->epoch <= s.C[t][u] && a->epoch <= s.H[t][u];
}

static void access(int t, int x, int k, struct reports *r)
{
	join_conflicting_sections(t, x, k);
	for (int m = 0; m < LOCKS; m++)
		if (holds(t, m))
			s.open_section[t][m]->touched[x][k] = true;
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
	for (int m = 0; m < LOCKS; m++) {
		a->held[m] = holds(t, m);
		a->is_writing[m] = is_writing(t, m);
	}
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
	struct section *a = s.open_section[t][m];
	a->is_over = true;
	a->end = s.C[t][t];
	copy(a->clock, s.C[t]);
	if (a->has_nested)
		join(s.ordered[m], s.C[t]);
	for (int i = 0; i < s.open_count[t]; i++) {
		struct candidate *c = &s.open[t][i];
		if (!c->is_open || !c->common[m])
			continue;
		c->common[m] = false;
		bool is_last = true;
		for (int n = 0; n < LOCKS; n++)
			is_last &= !c->common[n];
		if (c->epoch <= s.C[t][c->older])
			c->is_open = false;
		else if (is_last)
			report(r, c->kind, c->var, c->older, t), c->is_open = false;
	}
	if (a->is_writing)
		copy(s.lock_h[m], s.H[t]);
	else
		join(s.readers_h[m], s.H[t]);
	s.open_section[t][m] = NULL;
	tick(t);
}

static void acquire(int t, int m, bool writes)
{
	join(s.H[t], s.lock_h[m]);
	if (writes)
		join(s.H[t], s.readers_h[m]);
	struct section *a = &s.sections[s.section_count++];
	*a = (struct section){ .thread = t, .lock = m, .is_writing = writes, .since = s.C[t][t] };
	s.open_section[t][m] = a;
	learn(t, s.ordered[m]);
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
		 * The last access of each thread decides: what is before an earlier one is before
		 * it, too.
		 */
		for (int u = 0; u < THREADS; u++) {
			const struct access *read = &s.last[w][R][u], *write = &s.last[w][W][u];
			target(t, w, u, read->epoch && read->place > write->place ? read : write,
			       r);
		}
		break;
	case ACQUIRE:
	case ACQUIRE_READ:
		acquire(t, w, e->op == ACQUIRE);
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
		learn(t, s.object_c[w]);
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
