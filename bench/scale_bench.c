/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the work on traces grows with their length: time, memory and bytes for each event of
 * writing, reading, checking, indexing, slicing and converting.
 *
 *   scale_bench HEDDLE [MILLIONS...]
 *
 * The stream is synthetic and makes sense: four threads that sum up a shared array into variables
 * of their stacks, count under a mutex and by an atomic variable, and take turns every 20 to 100
 * events.  Every step runs in a process of its own, whose processor time and largest memory are
 * told; mapped files count as memory as far as they are present.
 */
#include <sys/stat.h>

#include "stream.h"
#include "trace/index.h"

#define THREADS 4
#define ARRAY 4096
#define LOCATIONS 16
#define ARRAY_AT 0x555555560000ull
#define COUNTER_AT 0x555555558040ull
#define ATOMIC_AT 0x555555558080ull
#define LOCK_AT 0x5555555580c0ull
#define STACK_AT(t) (ARENA_STACKS + ARENA_STACK_STRIDE * ((t) + 1) - 0x2000)

static const char *heddle, *dir;
static const char *path_of(const char *name)
{
	static char paths[4][4096];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* ---- the stream ---- */

struct worker {
	unsigned step;
	uint64_t i, sum, loop;
};

struct work {
	struct stream stream;
	struct worker workers[THREADS];
	uint64_t counter, atomic, array[ARRAY];
	thr_id holder; /* THR_NONE: the lock is free */
};

static void sum_up(struct work *all, struct worker *w)
{
	struct stream *s = &all->stream;
	uint64_t at = STACK_AT(s->running);
	switch (w->step++) {
	case 0:
		put_access(s, EV_READ, 1, at, w->i);
		break;
	case 1:
		put_access(s, EV_READ, 2, ARRAY_AT + w->i * 8, all->array[w->i]);
		break;
	case 2:
		put_access(s, EV_READ, 3, at + 8, w->sum);
		break;
	case 3:
		put_access(s, EV_WRITE, 4, at + 8, w->sum += all->array[w->i]);
		break;
	default:
		w->i = (w->i + 1) % ARRAY;
		put(s, (struct event){ .kind = EV_WRITE,
				       .loc = 5,
				       .obj = at,
				       .size = 8,
				       .a = w->i,
				       .flags = EVF_BRANCH });
		w->step = 0;
	}
}

static void count_up(struct work *all, struct worker *w)
{
	struct stream *s = &all->stream;
	struct event lock = { .loc = 6 + w->step, .obj = LOCK_AT, .mode = SYNC_MUTEX };
	switch (w->step) {
	case 0:
		if (all->holder != THR_NONE) {
			put(s, (struct event){ .kind = EV_YIELD, .loc = 11 });
			return;
		}
		all->holder = s->running;
		lock.kind = EV_ACQUIRE;
		lock.a = 1;
		put(s, lock);
		break;
	case 1:
		put_access(s, EV_READ, 7, COUNTER_AT, all->counter);
		break;
	case 2:
		put_access(s, EV_WRITE, 8, COUNTER_AT, ++all->counter);
		break;
	default:
		lock.kind = EV_RELEASE;
		all->holder = THR_NONE;
		put(s, lock);
		put(s, (struct event){ .kind = EV_RMW,
				       .loc = 10,
				       .obj = ATOMIC_AT,
				       .size = 8,
				       .a = all->atomic,
				       .b = all->atomic + 1,
				       .mode = MODE_SEQ_CST });
		all->atomic++;
	}
	w->step = (w->step + 1) % 4;
}

static void write_trace(uint64_t events)
{
	static struct work all = { .holder = THR_NONE };
	struct stream *s = &all.stream;
	stream_open(s, path_of("t.trace"), THREADS, LOCATIONS);
	while (s->written < events)
		for (unsigned left = stream_turn(s); left && s->written < events; left--) {
			struct worker *w = &all.workers[s->running];
			if (!w->step && rng() % 64 == 0)
				w->loop = rng() % 2;
			if (w->loop)
				count_up(&all, w);
			else
				sum_up(&all, w);
		}
	stream_close(s);
}

/* ---- the steps ---- */

static void read_trace(uint64_t events)
{
	struct trace_reader *r;
	struct event e;
	struct err err;
	uint64_t n = 0;
	int rc;
	check(trace_reader_open(&r, path_of("t.trace"), &err), &err);
	while ((rc = trace_reader_next(r, &e, &err)) == 1)
		n++;
	check(rc, &err);
	trace_reader_close(r);
	if (n < events)
		exit(3);
}

static void index_trace(uint64_t events)
{
	struct trace_index x;
	struct err err;
	check(index_build(&x, path_of("t.trace"), path_of("t.index"), &err), &err);
	if (x.count < events)
		exit(3);
	index_close(&x);
}

static void open_index(uint64_t events)
{
	struct trace_index x;
	struct err err;
	check(index_open(&x, path_of("t.index"), path_of("t.trace"), &err), &err);
	if (x.count < events)
		exit(3);
	index_close(&x);
}

static void run_tool(const char *verb, const char *option, const char *out)
{
	if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
		exit(3);
	if (out)
		execl(heddle, heddle, "trace", verb, option, "-o", path_of(out), path_of("t.trace"),
		      (char *)NULL);
	else
		execl(heddle, heddle, "trace", verb, option, path_of("t.trace"), (char *)NULL);
	exit(3);
}

static void check_trace(uint64_t events)
{
	(void)events;
	run_tool("check", "--", NULL);
}
static void stat_trace(uint64_t events)
{
	(void)events;
	run_tool("stat", "--top=5", NULL);
}
static void slice_thread(uint64_t events)
{
	(void)events;
	run_tool("slice", "--thread=1", "slice");
}
static void slice_shared(uint64_t events)
{
	(void)events;
	run_tool("slice", "--shared", "slice");
}
static void to_std(uint64_t events)
{
	(void)events;
	run_tool("convert", "--to=std", "t.std");
}
static void to_csv(uint64_t events)
{
	(void)events;
	run_tool("convert", "--to=csv", "t.csv");
}
static void to_chrome(uint64_t events)
{
	(void)events;
	run_tool("convert", "--to=chrome", "t.json");
}
static void to_text(uint64_t events)
{
	(void)events;
	run_tool("convert", "--to=text", "t.text");
}

static const struct step {
	const char *name;
	void (*run)(uint64_t events);
	const char *result; /* file whose size is reported */
	bool is_kept;	    /* a later step needs it */
} steps[] = {
	{ "write", write_trace, "t.trace", true },
	{ "read", read_trace, NULL, false },
	{ "check", check_trace, NULL, false },
	{ "stat", stat_trace, NULL, false },
	{ "index", index_trace, "t.index", true },
	{ "open index", open_index, NULL, false },
	{ "slice --thread", slice_thread, "slice", false },
	{ "slice --shared", slice_shared, "slice", false },
	{ "to std", to_std, "t.std", false },
	{ "to csv", to_csv, "t.csv", false },
	{ "to chrome", to_chrome, "t.json", false },
	{ "to text", to_text, "t.text", false },
};

struct step_of {
	const struct step *step;
	uint64_t events;
};

static void run_step(void *arg)
{
	const struct step_of *one = arg;
	one->step->run(one->events);
}

static void measure(const struct step *s, uint64_t events)
{
	struct stat st = { 0 };
	struct step_of one = { s, events };
	struct cost cost = measure_step(s->name, run_step, &one);
	printf("%-16s %8.2f %8.0f %10.1f", s->name, cost.seconds,
	       cost.seconds * 1e9 / (double)events, cost.megabytes);
	if (s->result && !stat(path_of(s->result), &st))
		printf(" %10.2f", (double)st.st_size / (double)events);
	putchar('\n');
	if (s->result && !s->is_kept)
		unlink(path_of(s->result));
}

int main(int argc, char **argv)
{
	char name[] = "/var/tmp/heddle-scale-XXXXXX";
	if (argc < 2 || !(dir = mkdtemp(name)))
		return 2;
	heddle = argv[1];
	for (int i = 2; i < argc; i++) {
		uint64_t events = strtoull(argv[i], NULL, 10) * 1000000;
		printf("%s million events\n%-16s %8s %8s %10s %10s\n", argv[i], "", "CPU s",
		       "ns/event", "MB memory", "bytes/event");
		for (size_t k = 0; k < sizeof(steps) / sizeof(*steps); k++)
			measure(&steps[k], events);
	}
	unlink(path_of("t.trace"));
	unlink(path_of("t.index"));
	rmdir(dir);
	return 0;
}
