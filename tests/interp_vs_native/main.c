/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpret a program, given as the text of its IR (heddle bitcode --print): its output and exit
 * status become this program's.
 *
 *   interpret [--seed=N] [--schedule=N,N,...] [--steps=N] [--repeat=N] [--speed] FILE [ARG...]
 *
 * Another end than an exit is said on standard error, with status 100 for a failure, 101 for a
 * deadlock, 102 for what is not modelled, 103 for a limit.  --speed prints millions of instructions
 * for each second of processor time.  --repeat interprets N times and compares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "interp/interp.h"
#include "ir/read.h"

static VEC(uint32_t) schedule;
static struct buf text;

static const char *value(const char *word, const char *option)
{
	size_t len = strlen(option);
	return strncmp(word, option, len) ? NULL : word + len;
}

static void read_schedule(const char *s)
{
	char *end;
	for (; *s; s = *end ? end + 1 : end)
		vec_push(&schedule, (uint32_t)strtoul(s, &end, 10));
}

static bool same(const struct interp_result *a, const struct interp_result *b)
{
	return a->end == b->end && a->status == b->status && a->steps == b->steps &&
	       a->out.len == b->out.len && !memcmp(a->out.at, b->out.at, a->out.len);
}

int main(int argc, char **argv)
{
	struct interp_input input = { 0 };
	struct ir_module m;
	struct err err;
	bool is_speed = false;
	unsigned long repeat = 1;
	const char *v;
	int at = 1;
	for (; at < argc && argv[at][0] == '-'; at++) {
		if ((v = value(argv[at], "--seed=")))
			input.seed = strtoull(v, NULL, 10);
		else if ((v = value(argv[at], "--steps=")))
			input.steps = strtoull(v, NULL, 10);
		else if ((v = value(argv[at], "--repeat=")))
			repeat = strtoul(v, NULL, 10);
		else if ((v = value(argv[at], "--schedule=")))
			read_schedule(v);
		else if (!strcmp(argv[at], "--speed"))
			is_speed = true;
	}
	struct buf code = { 0 };
	if (at >= argc || file_read(argv[at], &code, &err) ||
	    ir_read(&m, code.at, code.len, &err)) {
		fprintf(stderr, "interpret: %s\n", at >= argc ? "no program" : err.text);
		return 99;
	}
	char bytes[4096];
	size_t len;
	while ((len = fread(bytes, 1, sizeof(bytes), stdin)))
		buf_add(&text, bytes, len);
	input.argc = argc - at;
	input.argv = argv + at;
	input.stdin_bytes = text.at;
	input.stdin_len = text.len;
	input.schedule = schedule.at;
	input.decisions = schedule.len;
	struct interp_result r, again;
	uint64_t start = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (interp_run(&m, &input, &r, &err)) {
		fprintf(stderr, "interpret: %s\n", err.text);
		return 99;
	}
	double seconds = (double)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e9;
	for (unsigned long n = 1; n < repeat; n++) {
		if (interp_run(&m, &input, &again, &err) || !same(&r, &again)) {
			fprintf(stderr, "interpret: the execution differs when it is repeated\n");
			return 98;
		}
		interp_result_release(&again);
	}
	fwrite(r.out.at, 1, r.out.len, stdout);
	fwrite(r.errs.at, 1, r.errs.len, stderr);
	if (r.end != INTERP_EXIT)
		fprintf(stderr, "interpret: %s\n", r.message.at);
	if (is_speed)
		printf("%.1f\n", (double)r.steps / seconds / 1e6);
	int status = r.end == INTERP_EXIT ? r.status : 99 + (int)r.end;
	interp_result_release(&r);
	ir_module_release(&m);
	vec_release(&schedule);
	buf_release(&code);
	buf_release(&text);
	return status;
}
