/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the trace library costs: nanoseconds for each event to write and to read, bytes for each
 * event.
 *
 *   trace_bench [EVENTS [FILE]]
 *
 * The stream is synthetic: four threads that take turns every 20 to 100 events, each in one of
 * four loops as they look at -O0: a sum over an array of random numbers (index and sum live on
 * the stack), a walk over a shuffled list on the heap, a counter under a mutex, and a
 * compare-exchange loop.  It is made in chunks that stay in the cache, while the clock stands
 * still; what is read back is compared with the stream made again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "trace/trace.h"

#define CHUNK 2048
#define THREADS 4
#define NODES 4096
#define LOCATIONS 64

static uint64_t rng_state = 88172645463325252ull;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

struct worker {
	unsigned loop, step;
	uint64_t i, sum, node;
};

static struct worker workers[THREADS];
static uint64_t array_values[NODES], next_node[NODES], counter, atomic_counter;

#define STACK_OF(t) (ARENA_STACKS + ARENA_STACK_STRIDE * ((t) + 1) - 0x2000)
#define NODE(n) (ARENA_HEAP + 0x40 + (n)*48)
#define ARRAY 0x555555560000ull
#define GLOBALS 0x555555558040ull

static struct event plain_access(unsigned kind, unsigned loc, uint64_t address, uint64_t size,
				 uint64_t a)
{
	return (struct event){ .kind = (uint8_t)kind,
			       .loc = loc,
			       .stack = loc / 8 + 1,
			       .obj = address,
			       .size = size,
			       .a = a };
}

/* for (i = 0; i < n; i++) sum += array[i]; */
static struct event sum_step(struct worker *w, unsigned t)
{
	switch (w->step++) {
	case 0:
		return plain_access(EV_READ, 1, STACK_OF(t) - 8, 4, w->i);
	case 1:
		return plain_access(EV_READ, 2, ARRAY + w->i * 4, 4, array_values[w->i]);
	case 2:
		return plain_access(EV_READ, 3, STACK_OF(t) - 16, 8, w->sum);
	case 3:
		w->sum += array_values[w->i];
		return plain_access(EV_WRITE, 4, STACK_OF(t) - 16, 8, w->sum);
	}
	w->step = 0;
	w->i = (w->i + 1) % NODES;
	struct event e = plain_access(EV_WRITE, 5, STACK_OF(t) - 8, 4, w->i);
	e.flags = EVF_BRANCH;
	return e;
}

/* for (p = head; p; p = p->next) p->hits++; */
static struct event list_step(struct worker *w, unsigned t)
{
	switch (w->step++) {
	case 0:
		return plain_access(EV_READ, 9, STACK_OF(t) - 24, 8, NODE(w->node));
	case 1:
		return plain_access(EV_READ, 10, NODE(w->node) + 16, 4, array_values[w->node]);
	case 2:
		return plain_access(EV_WRITE, 11, NODE(w->node) + 16, 4, ++array_values[w->node]);
	case 3:
		return plain_access(EV_READ, 12, NODE(w->node), 8, NODE(next_node[w->node]));
	}
	w->step = 0;
	w->node = next_node[w->node];
	struct event e = plain_access(EV_WRITE, 13, STACK_OF(t) - 24, 8, NODE(w->node));
	e.flags = EVF_BRANCH;
	return e;
}

/* lock; counter++; unlock */
static struct event lock_step(struct worker *w)
{
	struct event e;
	unsigned step = w->step++;
	if (step == 3)
		return plain_access(EV_WRITE, 20, GLOBALS, 4, ++counter);
	if (step == 2)
		return plain_access(EV_READ, 19, GLOBALS, 4, counter);
	unsigned kind = step == 0 ? EV_REQUEST : step == 1 ? EV_ACQUIRE : EV_RELEASE;
	e = plain_access(kind, 17 + step, GLOBALS + 64, 0, step == 1);
	e.mode = SYNC_MUTEX;
	w->step = step == 4 ? 0 : step + 1;
	return e;
}

static struct event atomic_step(struct worker *w)
{
	unsigned failed = rng() % 8 == 0;
	struct event e = plain_access(EV_RMW, 25 + w->step, GLOBALS + 128, 8, atomic_counter);
	w->step = !w->step;
	e.mode = MODE_SEQ_CST;
	e.flags = failed ? EVF_FAILED : 0;
	e.b = atomic_counter += !failed;
	return e;
}

static unsigned running, turn_left;

static void begin_stream(void)
{
	rng_state = 88172645463325252ull;
	memset(workers, 0, sizeof(workers));
	counter = atomic_counter = 0;
	running = turn_left = 0;
	for (size_t i = 0; i < NODES; i++) {
		array_values[i] = (uint32_t)rng() >> (rng() % 24);
		next_node[i] = i;
	}
	for (size_t i = NODES - 1; i > 0; i--) {
		size_t j = rng() % i;
		uint64_t n = next_node[i];
		next_node[i] = next_node[j];
		next_node[j] = n;
	}
}

static void make_chunk(struct event *events, size_t first)
{
	for (size_t i = 0; i < CHUNK; i++) {
		if (!turn_left) {
			unsigned before = running;
			running = (running + 1 + (unsigned)rng() % (THREADS - 1)) % THREADS;
			turn_left = 20 + (unsigned)rng() % 80;
			events[i] =
				(struct event){ .kind = EV_SWITCH, .thread = running, .b = before };
			events[i].a = (first + i) * 2 + rng() % 8;
			continue;
		}
		struct worker *w = &workers[running];
		switch (w->loop) {
		case 0:
			events[i] = sum_step(w, running);
			break;
		case 1:
			events[i] = list_step(w, running);
			break;
		case 2:
			events[i] = lock_step(w);
			break;
		default:
			events[i] = atomic_step(w);
			break;
		}
		events[i].thread = running;
		if (!w->step && rng() % 64 == 0)
			w->loop = (unsigned)rng() % 4;
		turn_left--;
	}
}

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void check(int rc, const struct err *err)
{
	if (rc < 0) {
		fprintf(stderr, "trace_bench: %s\n", err->text);
		exit(3);
	}
}

static double write_stream(const char *path, struct event *events, size_t count)
{
	struct trace_writer *w;
	struct err err;
	char empty[] = "";
	double spent = 0, start;
	check(trace_writer_open(&w, path, TRACE_BINARY, &err), &err);
	for (unsigned i = 1; i < LOCATIONS; i++)
		check(trace_writer_location(
			      w,
			      &(struct location){ .offset = i, .function = empty, .file = empty },
			      &err),
		      &err);
	for (unsigned i = 1; i <= LOCATIONS / 8; i++)
		check(trace_writer_stack(w, &(struct stack_node){ .loc = i }, &err), &err);
	begin_stream();
	for (size_t done = 0; done < count; done += CHUNK) {
		make_chunk(events, done);
		start = now();
		for (size_t i = 0; i < CHUNK; i++)
			check(trace_writer_event(w, &events[i], &err), &err);
		spent += now() - start;
	}
	start = now();
	check(trace_writer_close(w, &err), &err);
	return spent + now() - start;
}

static bool is_same(const struct event *x, const struct event *y)
{
	return x->thread == y->thread && x->kind == y->kind && x->obj == y->obj && x->a == y->a &&
	       x->b == y->b && x->size == y->size && x->loc == y->loc && x->stack == y->stack &&
	       x->mode == y->mode && x->flags == y->flags;
}

static double read_stream(const char *path, struct event *events, struct event *want, size_t count)
{
	struct trace_reader *r;
	struct err err;
	double spent = 0;
	check(trace_reader_open(&r, path, &err), &err);
	begin_stream();
	for (size_t done = 0; done < count; done += CHUNK) {
		double start = now();
		for (size_t i = 0; i < CHUNK; i++)
			check(trace_reader_next(r, &events[i], &err), &err);
		spent += now() - start;
		make_chunk(want, done);
		for (size_t i = 0; i < CHUNK; i++) {
			if (!is_same(&events[i], &want[i])) {
				fprintf(stderr, "trace_bench: event %zu came back different\n",
					done + i);
				exit(1);
			}
		}
	}
	trace_reader_close(r);
	return spent;
}

int main(int argc, char **argv)
{
	size_t count = (argc > 1 ? strtoull(argv[1], NULL, 0) : 4000000) / CHUNK * CHUNK;
	const char *path = argc > 2 ? argv[2] : "/tmp/trace_bench.trace";
	struct event *events = mem_zero(CHUNK, sizeof(*events)),
		     *want = mem_zero(CHUNK, sizeof(*want));
	double best_write = 1e30, best_read = 1e30;
	struct stat st;
	for (int round = 0; round < 3; round++) {
		double write = write_stream(path, events, count),
		       read = read_stream(path, events, want, count);
		best_write = write < best_write ? write : best_write;
		best_read = read < best_read ? read : best_read;
	}
	if (stat(path, &st))
		return 3;
	printf("trace, synthetic stream of 4 threads in loops over array, list, mutex and atomic; "
	       "CPU time, "
	       "best of 3\n"
	       "events %zu, write %.1f ns/event, read %.1f ns/event, %.2f bytes/event\n",
	       count, best_write / (double)count, best_read / (double)count,
	       (double)st.st_size / (double)count);
	if (argc < 3)
		unlink(path);
	mem_free(events);
	mem_free(want);
	return 0;
}
