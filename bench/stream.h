/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benches of long traces share: a synthetic stream of events that makes sense (its
 * beginning, turns of threads, accesses), and measuring a step in a process of its own.  The work
 * that the threads do is the bench's own.
 */
#ifndef HEDDLE_BENCH_STREAM_H
#define HEDDLE_BENCH_STREAM_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/trace.h"

#define STREAM_THREADS 64 /* at most */

static uint64_t rng_state;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

/* A bench that cannot do its work ends. */
static void check(int rc, const struct err *err)
{
	if (rc < 0) {
		fprintf(stderr, "bench: %s\n", err->text);
		exit(3);
	}
}

/* ---- the stream ---- */

struct stream {
	struct trace_writer *writer;
	unsigned threads;
	bool has_begun[STREAM_THREADS];
	thr_id running;
	uint64_t written; /* events */
};

static void put(struct stream *s, struct event e)
{
	struct err err;
	e.thread = s->running;
	check(trace_writer_event(s->writer, &e, &err), &err);
	s->written++;
}

static void put_access(struct stream *s, unsigned kind, unsigned loc, uint64_t address,
		       uint64_t value)
{
	put(s, (struct event){
		       .kind = (uint8_t)kind, .loc = loc, .obj = address, .size = 8, .a = value });
}

/* Places are the lines of a file that does not exist; all threads are started at once. */
static void stream_open(struct stream *s, const char *path, unsigned threads, unsigned places)
{
	struct err err;
	char empty[] = "", file[] = "stream.c";
	*s = (struct stream){ .threads = threads, .has_begun = { true } };
	rng_state = 88172645463325252ull;
	check(trace_writer_open(&s->writer, path, TRACE_BINARY, &err), &err);
	for (unsigned i = 1; i < places; i++)
		check(trace_writer_location(
			      s->writer,
			      &(struct location){ .line = i, .function = empty, .file = file },
			      &err),
		      &err);
	put(s, (struct event){ .kind = EV_BEGIN, .a = THR_NONE });
	for (unsigned t = 1; t < threads; t++)
		put(s, (struct event){ .kind = EV_FORK, .a = t });
}

/* Another thread goes on; gives how much it may do now. */
static unsigned stream_turn(struct stream *s)
{
	thr_id next = (s->running + 1 + (thr_id)(rng() % (s->threads - 1))) % s->threads;
	struct event turn = { .kind = EV_SWITCH, .a = s->written * 2, .b = s->running };
	s->running = next;
	put(s, turn);
	if (!s->has_begun[next])
		put(s, (struct event){ .kind = EV_BEGIN });
	s->has_begun[next] = true;
	return 20 + (unsigned)(rng() % 80);
}

static void stream_close(struct stream *s)
{
	struct err err;
	check(trace_writer_close(s->writer, &err), &err);
}

/* ---- measuring ---- */

struct cost {
	double seconds; /* of the processor */
	/* the most memory; mapped files count as far as they are present */
	double megabytes;
};

/* Run a step in a process of its own; the bench ends if it fails (status 1 of a tool is a finding).
 */
static struct cost measure_step(const char *name, void (*run)(void *arg), void *arg)
{
	struct rusage used;
	int status;
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		run(arg);
		_exit(0);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) > 1) {
		printf("%-16s failed\n", name);
		exit(1);
	}
	return (struct cost){ (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
				      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
			      (double)used.ru_maxrss / 1024 };
}

#endif
