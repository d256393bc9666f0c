/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the work on traces grows with their length: time, memory and bytes for each event of writing, reading, checking,
 * indexing, slicing and converting.
 *
 *   scale_bench HEDDLE [MILLIONS...]
 *
 * The stream is synthetic and makes sense: four threads that sum up a shared array into variables of their stacks, count
 * under a mutex and by an atomic variable, and take turns every 20 to 100 events.  Every step runs in a process of its
 * own, whose processor time and largest memory are told; mapped files count as memory as far as they are present.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/consistency.h"
#include "trace/index.h"
#include "trace/trace.h"

#define THREADS 4
#define ARRAY 4096
#define LOCATIONS 16
#define ARRAY_AT 0x555555560000ull
#define COUNTER_AT 0x555555558040ull
#define ATOMIC_AT 0x555555558080ull
#define LOCK_AT 0x5555555580c0ull
#define STACK_AT(t) (ARENA_STACKS + ARENA_STACK_STRIDE * ((t) + 1) - 0x2000)

static const char *heddle, *dir;
static uint64_t rng_state;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static void check(int rc, const struct err *err)
{
	if (rc < 0) {
		fprintf(stderr, "scale_bench: %s\n", err->text);
		exit(3);
	}
}

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

struct stream {
	struct trace_writer *writer;
	struct worker workers[THREADS];
	uint64_t counter, atomic, array[ARRAY];
	thr_id holder;		/* THR_NONE: the lock is free */
	thr_id running;
	uint64_t written;
};

static void put(struct stream *s, struct event e)
{
	struct err err;
	e.thread = s->running;
	check(trace_writer_event(s->writer, &e, &err), &err);
	s->written++;
}

static void put_access(struct stream *s, unsigned kind, unsigned loc, uint64_t address, uint64_t value)
{
	put(s, (struct event){ .kind = (uint8_t)kind, .loc = loc, .obj = address, .size = 8, .a = value });
}

static void sum_up(struct stream *s, struct worker *w)
{
	uint64_t at = STACK_AT(s->running);
	switch (w->step++) {
	case 0: put_access(s, EV_READ, 1, at, w->i); break;
	case 1: put_access(s, EV_READ, 2, ARRAY_AT + w->i * 8, s->array[w->i]); break;
	case 2: put_access(s, EV_READ, 3, at + 8, w->sum); break;
	case 3: put_access(s, EV_WRITE, 4, at + 8, w->sum += s->array[w->i]); break;
	default:
		w->i = (w->i + 1) % ARRAY;
		put(s, (struct event){ .kind = EV_WRITE, .loc = 5, .obj = at, .size = 8, .a = w->i, .flags = EVF_BRANCH });
		w->step = 0;
	}
}

static void count_up(struct stream *s, struct worker *w)
{
	struct event lock = { .loc = 6 + w->step, .obj = LOCK_AT, .mode = SYNC_MUTEX };
	switch (w->step) {
	case 0:
		if (s->holder != THR_NONE) {
			put(s, (struct event){ .kind = EV_YIELD, .loc = 11 });
			return;
		}
		s->holder = s->running;
		lock.kind = EV_ACQUIRE;
		lock.a = 1;
		put(s, lock);
		break;
	case 1: put_access(s, EV_READ, 7, COUNTER_AT, s->counter); break;
	case 2: put_access(s, EV_WRITE, 8, COUNTER_AT, ++s->counter); break;
	default:
		lock.kind = EV_RELEASE;
		s->holder = THR_NONE;
		put(s, lock);
		put(s, (struct event){ .kind = EV_RMW, .loc = 10, .obj = ATOMIC_AT, .size = 8, .a = s->atomic,
				.b = s->atomic + 1, .mode = MODE_SEQ_CST });
		s->atomic++;
	}
	w->step = (w->step + 1) % 4;
}

static void write_trace(uint64_t events)
{
	static struct stream s = { .holder = THR_NONE };
	struct err err;
	char empty[] = "", file[] = "stream.c";
	bool has_begun[THREADS] = { true };
	rng_state = 88172645463325252ull;
	check(trace_writer_open(&s.writer, path_of("t.trace"), TRACE_BINARY, &err), &err);
	for (unsigned i = 1; i < LOCATIONS; i++)
		check(trace_writer_location(s.writer, &(struct location){ .line = i, .function = empty, .file = file }, &err),
			&err);
	put(&s, (struct event){ .kind = EV_BEGIN, .a = THR_NONE });
	for (unsigned t = 1; t < THREADS; t++)
		put(&s, (struct event){ .kind = EV_FORK, .a = t });
	while (s.written < events) {
		thr_id next = (s.running + 1 + (thr_id)(rng() % (THREADS - 1))) % THREADS;
		struct event turn = { .kind = EV_SWITCH, .a = s.written * 2, .b = s.running };
		s.running = next;
		put(&s, turn);
		if (!has_begun[next])
			put(&s, (struct event){ .kind = EV_BEGIN });
		has_begun[next] = true;
		for (unsigned left = 20 + (unsigned)(rng() % 80); left && s.written < events; left--) {
			struct worker *w = &s.workers[next];
			if (!w->step && rng() % 64 == 0)
				w->loop = rng() % 2;
			if (w->loop)
				count_up(&s, w);
			else
				sum_up(&s, w);
		}
	}
	check(trace_writer_close(s.writer, &err), &err);
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
		exit(1);
}

static void index_trace(uint64_t events)
{
	struct trace_index x;
	struct err err;
	check(index_build(&x, path_of("t.trace"), path_of("t.index"), &err), &err);
	if (x.count < events)
		exit(1);
	index_close(&x);
}

static void open_index(uint64_t events)
{
	struct trace_index x;
	struct err err;
	check(index_open(&x, path_of("t.index"), path_of("t.trace"), &err), &err);
	if (x.count < events)
		exit(1);
	index_close(&x);
}

static void run_tool(const char *verb, const char *option, const char *out)
{
	if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
		exit(3);
	if (out)
		execl(heddle, heddle, "trace", verb, option, "-o", path_of(out), path_of("t.trace"), (char *)NULL);
	else
		execl(heddle, heddle, "trace", verb, option, path_of("t.trace"), (char *)NULL);
	exit(3);
}

static void check_trace(uint64_t events) { (void)events; run_tool("check", "--", NULL); }
static void stat_trace(uint64_t events) { (void)events; run_tool("stat", "--top=5", NULL); }
static void slice_thread(uint64_t events) { (void)events; run_tool("slice", "--thread=1", "slice"); }
static void slice_shared(uint64_t events) { (void)events; run_tool("slice", "--shared", "slice"); }
static void to_std(uint64_t events) { (void)events; run_tool("convert", "--to=std", "t.std"); }
static void to_csv(uint64_t events) { (void)events; run_tool("convert", "--to=csv", "t.csv"); }
static void to_chrome(uint64_t events) { (void)events; run_tool("convert", "--to=chrome", "t.json"); }
static void to_text(uint64_t events) { (void)events; run_tool("convert", "--to=text", "t.text"); }

static const struct step {
	const char *name;
	void (*run)(uint64_t events);
	const char *result;	/* file whose bytes are told */
	bool is_kept;		/* a later step needs it */
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

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void measure(const struct step *s, uint64_t events)
{
	struct rusage used;
	struct stat st = {0};
	int status;
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		s->run(events);
		_exit(0);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child || status) {
		printf("%-16s failed\n", s->name);
		exit(1);
	}
	double time = seconds(used.ru_utime) + seconds(used.ru_stime);
	printf("%-16s %8.2f %8.0f %10.1f", s->name, time, time * 1e9 / (double)events, (double)used.ru_maxrss / 1024);
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
		printf("%s million events\n%-16s %8s %8s %10s %10s\n", argv[i], "", "CPU s", "ns/event", "MB memory",
			"bytes/event");
		for (size_t k = 0; k < sizeof(steps) / sizeof(*steps); k++)
			measure(&steps[k], events);
	}
	unlink(path_of("t.trace"));
	unlink(path_of("t.index"));
	rmdir(dir);
	return 0;
}
