/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How prediction grows with the length of a trace and the number of threads: time and memory of
 * reading, of a plain vector-clock happens-before pass (the least that any predictor does), of
 * the sieve, and of `heddle predict` as a whole.
 *
 *   predict_bench HEDDLE THREADS MILLIONS...        synthetic traces
 *   predict_bench HEDDLE 0 TRACE...                 given ones
 *
 * The synthetic stream makes sense: threads work on memory of their own, read a table that all
 * share, count under one of 16 locks, and use an atomic variable; now and then one takes two
 * locks, in either order, or counts without a lock.  Every step runs in a process of its own,
 * whose processor time and largest memory are reported; mapped files count as memory as far as they
 * are present.
 */
#include <string.h>

#include "base/map.h"
#include "oracle/sieve.h"
#include "stream.h"

#define TABLE 4096
#define LOCKS 16
#define LOCATIONS 32
#define TABLE_AT 0x555555560000ull
#define COUNTER_AT(i) (0x555555558000ull + 64 * (uint64_t)(i))
#define LOCK_AT(i) (0x55555555a000ull + 64 * (uint64_t)(i))
#define ATOMIC_AT 0x555555557000ull
#define STACK_AT(t) (ARENA_STACKS + ARENA_STACK_STRIDE * ((uint64_t)(t) + 1) - 0x4000)
#define NOBODY UINT32_MAX

static const char *heddle;
static char dir[] = "/var/tmp/heddle-predict-XXXXXX", trace_path[64], copy_path[64];

/* ---- the stream ---- */

enum work { OWN, SHARED_TABLE, COUNT, COUNT_TWO, ATOMIC, CARELESS };

struct worker {
	enum work work;
	unsigned step, left, lock, second;
	uint64_t own[64], at;
};

struct team {
	struct stream stream;
	struct worker workers[STREAM_THREADS];
	uint64_t counters[LOCKS], atomic;
	uint32_t holder[LOCKS];
};

/* False: somebody else holds it. */
static bool take(struct team *team, unsigned lock, unsigned loc)
{
	if (team->holder[lock] != NOBODY)
		return false;
	team->holder[lock] = team->stream.running;
	put(&team->stream, (struct event){ .kind = EV_ACQUIRE,
					   .loc = loc,
					   .obj = LOCK_AT(lock),
					   .mode = SYNC_MUTEX,
					   .a = 1 });
	return true;
}

static void give_back(struct team *team, unsigned lock, unsigned loc)
{
	team->holder[lock] = NOBODY;
	put(&team->stream,
	    (struct event){
		    .kind = EV_RELEASE, .loc = loc, .obj = LOCK_AT(lock), .mode = SYNC_MUTEX });
}

static void count_up(struct team *team, unsigned counter, unsigned loc)
{
	put_access(&team->stream, EV_READ, loc, COUNTER_AT(counter), team->counters[counter]);
	put_access(&team->stream, EV_WRITE, loc + 1, COUNTER_AT(counter),
		   ++team->counters[counter]);
}

static void choose(struct worker *w)
{
	uint64_t dice = rng() % 100000;
	w->work = dice < 40000	 ? OWN
		  : dice < 70000 ? SHARED_TABLE
		  : dice < 99800 ? COUNT
		  : dice < 99900 ? ATOMIC
		  : dice < 99950 ? COUNT_TWO
				 : CARELESS;
	w->left = w->work <= SHARED_TABLE ? 3 : 1;
	w->step = 0;
	w->lock = (unsigned)(rng() % LOCKS);
	w->second = (unsigned)((w->lock + 1 + rng() % (LOCKS - 1)) % LOCKS);
}

/* One step of one thread; false if it has to wait. */
static bool work_on(struct team *team)
{
	struct worker *w = &team->workers[team->stream.running];
	if (!w->left)
		choose(w);
	switch (w->work) {
	case OWN: {
		uint64_t i = w->at++ % 64, address = STACK_AT(team->stream.running) + 8 * i;
		put_access(&team->stream, EV_READ, 1, address, w->own[i]);
		put_access(&team->stream, EV_WRITE, 2, address, ++w->own[i]);
		break;
	}
	case SHARED_TABLE:
		w->at++;
		put_access(&team->stream, EV_READ, 3, TABLE_AT + w->at % TABLE * 8, 7);
		put_access(&team->stream, EV_WRITE, 4, STACK_AT(team->stream.running) - 8, w->at);
		break;
	case COUNT:
	case COUNT_TWO: {
		bool is_two = w->work == COUNT_TWO;
		if (!w->step && !take(team, w->lock, is_two ? 8 : 5))
			return false;
		if (is_two && w->step == 1 && !take(team, w->second, 9)) {
			/* Going on without it keeps the stream from stopping for ever. */
			give_back(team, w->lock, 10);
			w->left = 0;
			return true;
		}
		if (w->step++ < (is_two ? 2u : 1u))
			return true;
		count_up(team, w->lock, 6);
		if (is_two)
			give_back(team, w->second, 11);
		give_back(team, w->lock, 10);
		break;
	}
	case ATOMIC:
		put(&team->stream, (struct event){ .kind = EV_RMW,
						   .loc = 12,
						   .obj = ATOMIC_AT,
						   .size = 8,
						   .a = team->atomic,
						   .b = team->atomic + 1,
						   .mode = MODE_SEQ_CST });
		team->atomic++;
		break;
	case CARELESS:
		count_up(team, w->lock, 13);
		break;
	}
	w->left--;
	return true;
}

static void write_trace(unsigned threads, uint64_t events)
{
	static struct team team;
	team = (struct team){ 0 };
	memset(team.holder, 0xff, sizeof(team.holder));
	stream_open(&team.stream, trace_path, threads, LOCATIONS);
	while (team.stream.written < events)
		for (unsigned left = stream_turn(&team.stream); left && work_on(&team); left--)
			;
	stream_close(&team.stream);
}

/* ---- the least that can be done ---- */

#define PAGE_CELLS 512u

struct cell {
	uint32_t *reads, *writes; /* clocks of the last ones of each thread */
};

struct clocks {
	unsigned threads;
	uint32_t now[STREAM_THREADS][STREAM_THREADS];
	struct map lock_of, page_of; /* to clock, to cells; plus one */
	VEC(uint32_t *) locks;
	VEC(struct cell *) pages;
	uint64_t races;
};

static void join(const struct clocks *c, uint32_t *to, const uint32_t *from)
{
	for (unsigned t = 0; t < c->threads; t++)
		to[t] = to[t] > from[t] ? to[t] : from[t];
}

static uint32_t *lock_clock(struct clocks *c, uint64_t lock)
{
	uint64_t *at = map_put(&c->lock_of, lock, NULL);
	if (!*at) {
		vec_push(&c->locks, (uint32_t *)mem_zero(c->threads, sizeof(uint32_t)));
		*at = c->locks.len;
	}
	return c->locks.at[*at - 1];
}

static struct cell *cell_at(struct clocks *c, uint64_t number)
{
	static uint64_t last_number;
	static struct cell *last;
	if (!last || last_number != number / PAGE_CELLS) {
		uint64_t *at = map_put(&c->page_of, number / PAGE_CELLS, NULL);
		if (!*at) {
			vec_push(&c->pages,
				 (struct cell *)mem_zero(PAGE_CELLS, sizeof(struct cell)));
			*at = c->pages.len;
		}
		last_number = number / PAGE_CELLS;
		last = c->pages.at[*at - 1];
	}
	return &last[number % PAGE_CELLS];
}

static bool is_before(const struct clocks *c, const uint32_t *then, const uint32_t *now)
{
	for (unsigned t = 0; then && t < c->threads; t++)
		if (then[t] > now[t])
			return false;
	return true;
}

static void follow_access(struct clocks *c, const struct event *e)
{
	uint32_t *now = c->now[e->thread];
	bool writes = e->kind != EV_READ;
	for (uint64_t at = e->obj / 8; at <= (e->obj + e->size - 1) / 8; at++) {
		struct cell *x = cell_at(c, at);
		if (!is_before(c, x->writes, now) || (writes && !is_before(c, x->reads, now)))
			c->races++;
		uint32_t **mine = writes ? &x->writes : &x->reads;
		if (!*mine)
			*mine = mem_zero(c->threads, sizeof(uint32_t));
		(*mine)[e->thread] = now[e->thread];
	}
}

static void happens_before(void *path)
{
	static struct clocks c = { .threads = STREAM_THREADS };
	struct trace_reader *r;
	struct event e;
	struct err err;
	int rc;
	check(trace_reader_open(&r, path, &err), &err);
	for (unsigned t = 0; t < STREAM_THREADS; t++)
		c.now[t][t] = 1;
	while ((rc = trace_reader_next(r, &e, &err)) == 1) {
		if (e.thread >= STREAM_THREADS)
			continue;
		uint32_t *now = c.now[e.thread];
		switch (e.kind) {
		case EV_READ:
		case EV_WRITE:
			if (e.size)
				follow_access(&c, &e);
			break;
		case EV_RMW:
			join(&c, now, lock_clock(&c, e.obj));
			join(&c, lock_clock(&c, e.obj), now);
			now[e.thread]++;
			break;
		case EV_ACQUIRE:
		case EV_WAKE:
		case EV_SEM_WAIT:
			join(&c, now, lock_clock(&c, e.obj));
			break;
		case EV_RELEASE:
		case EV_SIGNAL:
		case EV_BROADCAST:
		case EV_SEM_POST:
			join(&c, lock_clock(&c, e.obj), now);
			now[e.thread]++;
			break;
		case EV_FORK:
		case EV_JOIN:
			if (e.a < STREAM_THREADS && e.kind == EV_FORK)
				join(&c, c.now[e.a], now);
			else if (e.a < STREAM_THREADS)
				join(&c, now, c.now[e.a]);
			now[e.thread]++;
			break;
		}
	}
	check(rc, &err);
	trace_reader_close(r);
}

/* ---- the steps ---- */

static uint64_t events_of(const char *path)
{
	struct trace_reader *r;
	struct event e;
	struct err err;
	uint64_t n = 0;
	check(trace_reader_open(&r, path, &err), &err);
	while (trace_reader_next(r, &e, &err) == 1)
		n++;
	trace_reader_close(r);
	return n;
}

static void read_trace(void *path)
{
	events_of(path);
}

static void sieve(void *path)
{
	struct sieve_result result;
	struct err err;
	check(sieve_trace(path, copy_path, &(struct sieve_options){ 0 }, &result, &err), &err);
}

static void predict(void *path)
{
	if (!freopen(copy_path, "w", stderr))
		exit(3);
	execl(heddle, heddle, "predict", "--stats", path, (char *)NULL);
	exit(3);
}

/* What heddle predict --stats said, and how much it found. */
static void tell_counts(void)
{
	char line[1024];
	FILE *f = fopen(copy_path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "can matter") || strstr(line, " prediction"))
			printf("  %s", line + strlen("heddle: "));
	if (f)
		fclose(f);
}

static double measure(const char *name, void (*run)(void *path), char *path, uint64_t events)
{
	struct cost cost = measure_step(name, run, path);
	printf("%-16s %8.2f %9.1f %9.1f %10.1f\n", name, cost.seconds,
	       cost.seconds * 1e9 / (double)events, (double)events / cost.seconds / 1e6,
	       cost.megabytes);
	return cost.seconds;
}

static void measure_all(char *path)
{
	uint64_t events = events_of(path);
	printf("%-16s %8s %9s %9s %10s\n", "", "CPU s", "ns/event", "million/s", "MB memory");
	measure("read", read_trace, path, events);
	double least = measure("vector clocks", happens_before, path, events);
	measure("sieve", sieve, path, events);
	double whole = measure("predict", predict, path, events);
	printf("  %.1f times the vector clocks\n", whole / least);
	tell_counts();
	putchar('\n');
}

int main(int argc, char **argv)
{
	if (argc < 4 || !mkdtemp(dir))
		return 2;
	heddle = argv[1];
	unsigned threads = (unsigned)strtoul(argv[2], NULL, 10);
	snprintf(trace_path, sizeof(trace_path), "%s/trace", dir);
	snprintf(copy_path, sizeof(copy_path), "%s/copy", dir);
	for (int i = 3; i < argc; i++) {
		if (threads > 1 && threads <= STREAM_THREADS) {
			printf("%s million events, %u threads\n", argv[i], threads);
			write_trace(threads, strtoull(argv[i], NULL, 10) * 1000000);
			measure_all(trace_path);
		} else {
			printf("%s\n", argv[i]);
			measure_all(argv[i]);
		}
	}
	unlink(trace_path);
	unlink(copy_path);
	rmdir(dir);
	return 0;
}
