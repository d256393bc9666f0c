/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with a limit of time, whose standard output is read while it runs; and what its end
 * means.
 *
 * A process that is stopped by the limit hangs: natively that is what a deadlock looks like.
 */
#include "drive.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emit.h"
#include "json.h"

#define ARGS_MAX 24
/* What is compared are outcomes: findings would be shortened, repeated and reported. */
#define KINDS "--kinds="

struct run {
	char output[4096];
	size_t written;
	bool too_long;
	int status;
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void become(const char *const *argv, int out, const char *errors)
{
	int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600),
	    in = open("/dev/null", O_RDONLY);
	setpgid(0, 0);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	/* A search that nobody waits for any more would go on for hours. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

/* Until end of output or the limit; false at the limit. */
static bool read_output(struct run *r, int fd, int64_t end)
{
	for (;;) {
		char rest[256];
		struct pollfd p = { fd, POLLIN, 0 };
		int64_t left = end - now_ms();
		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return false;
		bool full = r->written == sizeof(r->output);
		ssize_t n = full ? read(fd, rest, sizeof(rest))
				 : read(fd, r->output + r->written, sizeof(r->output) - r->written);
		if (n <= 0)
			return true;
		r->written += full ? 0 : (size_t)n;
	}
}

static bool run(struct run *r, const char *const *argv, unsigned seconds, const char *errors)
{
	int fds[2];
	*r = (struct run){ 0 };
	if (pipe2(fds, O_CLOEXEC))
		return false;
	pid_t pid = fork();
	if (pid == 0)
		become(argv, fds[1], errors);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return false;
	}
	r->too_long = !read_output(r, fds[0], now_ms() + seconds * 1000);
	close(fds[0]);
	if (r->too_long)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &r->status, 0) < 0)
		;
	return true;
}

int drive_command(const char *const *argv, unsigned seconds)
{
	struct run r;
	if (!run(&r, argv, seconds, "/dev/null") || r.too_long || !WIFEXITED(r.status))
		return -1;
	return WEXITSTATUS(r.status);
}

static bool set_output(struct outcome *x, const struct run *r, char why[300])
{
	memset(x, 0, sizeof(*x));
	if (r->written > OUTPUT_MAX) {
		snprintf(why, 300, "the output has %zu bytes", r->written);
		return false;
	}
	x->written = (uint8_t)r->written;
	memcpy(x->output, r->output, r->written);
	return true;
}

static void set_end(struct outcome *x, int exit_status, int signal)
{
	x->end = signal == SIGABRT ? END_ASSERTION : signal ? END_SIGNAL : END_EXIT;
	x->status = (uint8_t)(x->end == END_ASSERTION ? 0 : signal ? signal : exit_status);
}

bool drive_native(const struct target *t, struct outcome *x, char why[300])
{
	char number[16];
	const char *argv[] = { t->program, number, NULL };
	struct run r;
	snprintf(number, sizeof(number), "%u", t->number);
	/* Programs that may wait for ever are not run: on a busy machine any may be slow. */
	if (!run(&r, argv, 60, "/dev/null")) {
		snprintf(why, 300, "%s cannot be started", t->program);
		return false;
	}
	if (!set_output(x, &r, why))
		return false;
	if (r.too_long)
		x->end = END_HANGS;
	else
		set_end(x, WEXITSTATUS(r.status), WIFSIGNALED(r.status) ? WTERMSIG(r.status) : 0);
	return true;
}

/* ---- results of heddle ---- */

struct kind {
	const char *name;
	enum ending end;
};
static const struct kind kinds[] = {
	{ "assertion", END_ASSERTION },
	{ "deadlock", END_DEADLOCK },
	{ "livelock", END_LIVELOCK },
	{ "use-after-free", END_USE_AFTER_FREE },
	{ "double-free", END_DOUBLE_FREE },
	{ "step-limit", END_LIVELOCK }, /* nothing else makes these programs long */
};

/* Whether the string is the kind of a finding that ends a run. */
static bool end_of_kind(const char *value, uint8_t *end)
{
	char name[40];
	long n = json_string(value, name, sizeof(name));
	for (size_t i = 0; n >= 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == (size_t)n && !memcmp(name, kinds[i].name, (size_t)n)) {
			*end = (uint8_t)kinds[i].end;
			return true;
		}
	return false;
}

/* The text of a file, to be freed; NULL if there is none. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n = 0, room = 0;
	char *text = NULL;
	while (f && !feof(f)) {
		if (n + 1 >= room) {
			room = room ? room * 2 : 65536;
			text = realloc(text, room);
			if (!text)
				abort();
		}
		size_t got = fread(text + n, 1, room - n - 1, f);
		if (!got && ferror(f))
			break;
		n += got;
	}
	if (f)
		fclose(f);
	if (text)
		text[n] = 0;
	return text;
}

/* A directory for what one run of the tool leaves. */
struct scratch {
	char dir[40], json[64], errors[64], prefix[64];
};

static void scratch_init(struct scratch *s)
{
	snprintf(s->dir, sizeof(s->dir), "/tmp/heddle-ref.XXXXXX");
	if (!mkdtemp(s->dir))
		abort();
	snprintf(s->json, sizeof(s->json), "%s/json", s->dir);
	snprintf(s->errors, sizeof(s->errors), "%s/errors", s->dir);
	snprintf(s->prefix, sizeof(s->prefix), "%s/out", s->dir);
}

static void scratch_remove(const struct scratch *s)
{
	DIR *d = opendir(s->dir);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(s->dir);
}

/* Why the tool did not do its work: its first words. */
static void tell_errors(const struct scratch *s, const struct run *r, char why[300])
{
	char *text = read_file(s->errors);
	int n = snprintf(why, 300,
			 r->too_long ? "heddle takes too long: " : "heddle ends with status %d: ",
			 WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -WTERMSIG(r->status));
	snprintf(why + n, 300 - (size_t)n, "%.200s", text ? text : "");
	why[strcspn(why, "\n")] = 0;
	free(text);
}

/* The tool's run and its JSON, to be freed; NULL with a sentence.  `programs`: which of the
 * executable. */
static char *run_tool(const struct target *t, const struct scratch *s, const char **argv,
		      unsigned argc, const char *programs, unsigned seconds, struct run *r,
		      char why[300])
{
	argv[argc++] = "--json";
	argv[argc++] = s->json;
	argv[argc++] = t->program;
	argv[argc++] = programs;
	argv[argc] = NULL;
	unlink(s->json);
	bool started = run(r, argv, seconds, s->errors);
	int status = started && WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -1;
	char *json = started && !r->too_long && (status == 0 || status == 1 || status == 4)
			     ? read_file(s->json)
			     : NULL;
	if (!json)
		tell_errors(s, r, why);
	return json;
}

bool drive_record(const struct target *t, const char *model, unsigned seed, struct outcome *x,
		  char why[300])
{
	struct scratch s;
	struct run r;
	char number[16], program[16];
	const char *argv[ARGS_MAX] = {
		t->tool,  "record", "-q", "--steps=20000", "--memory", model,
		"--seed", number,   "-o", s.prefix,
	};
	scratch_init(&s);
	snprintf(number, sizeof(number), "%u", seed);
	snprintf(program, sizeof(program), "%u", t->number);
	char *json = run_tool(t, &s, argv, 10, program, 30, &r, why);
	scratch_remove(&s);
	if (!json)
		return false;
	bool fine = set_output(x, &r, why);
	set_end(x, 0, 0);
	for (const char *f = json_first(json_member(json, "findings")); f; f = json_next(f))
		if (end_of_kind(json_member(f, "kind"), &x->end))
			break;
	free(json);
	return fine;
}

/* One of the outcomes in the result; before its output stands what main wrote when it chose a
 * program. */
static bool read_outcome(const char *o, struct outcome *x, bool is_chosen, unsigned *number)
{
	char output[OUTPUT_MAX + 16], *begins = output;
	memset(x, 0, sizeof(*x));
	long n = json_string(json_member(o, "stdout"), output, sizeof(output) - 1);
	if (n < 0)
		return false;
	output[n] = 0;
	if (is_chosen) {
		*number = (unsigned)strtoul(output, &begins, 10);
		if (begins == output || *begins++ != CHOSEN[0])
			return false;
	}
	n -= begins - output;
	if (n > OUTPUT_MAX)
		return false;
	x->written = (uint8_t)n;
	memcpy(x->output, begins, (size_t)n);
	long signal = json_number(json_member(o, "signal")),
	     status = json_number(json_member(o, "exit"));
	set_end(x, status < 0 ? 0 : (int)status, signal < 0 ? 0 : (int)signal);
	/* A failure that is not known here is like no outcome of the reference. */
	const char *failure = json_member(o, "failure");
	if (failure && *failure == '"' && !end_of_kind(failure, &x->end))
		x->end = END_SIGNAL;
	x->status = x->end == END_EXIT ? x->status : 0;
	return true;
}

/* The outcomes, each to the set of its program. */
static bool read_outcomes(const char *json, const unsigned *numbers, unsigned count,
			  struct checked *c)
{
	for (const char *at = json_first(json_member(json, "outcomes")); at; at = json_next(at)) {
		struct outcome x;
		unsigned number = numbers[0], i = 0;
		bool is_read = read_outcome(at, &x, count > 1, &number);
		while (i < count && numbers[i] != number)
			i++;
		if (!is_read || i == count) {
			snprintf(c->why, sizeof(c->why), "an outcome cannot be read");
			return false;
		}
		outcomes_add(&c->sets[i], &x);
		c->made[i] += (uint64_t)json_number(json_member(at, "executions"));
	}
	return true;
}

/* Copies that race are divided here, or outcomes are missing that nobody would notice. */
static bool assumes_undivided(const char *json)
{
	static const char word[] = "undivided-copy";
	char text[200];
	for (const char *at = json_first(json_member(json, "assumptions")); at; at = json_next(at))
		if (json_string(at, text, sizeof(text)) >= (long)sizeof(word) - 1 &&
		    !memcmp(text, word, sizeof(word) - 1))
			return true;
	return false;
}

bool drive_check(const struct target *t, const unsigned *numbers, unsigned count,
		 const char *const *options, struct checked *c)
{
	struct scratch s;
	struct run r;
	char list[12 * PROGRAMS_MAX] = "";
	size_t n = 0;
	const char *argv[ARGS_MAX] = { t->tool, "check", "-q",	 "--outcomes",
				       KINDS,	"-o",	 "none", "--ledger=none" };
	unsigned argc = 8;
	for (unsigned i = 0; i < count; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%u%s", numbers[i],
				      count > 1 ? CHOSEN : "");
	scratch_init(&s);
	while (*options && argc < ARGS_MAX - 5)
		argv[argc++] = *options++;
	char *json = run_tool(t, &s, argv, argc, list, 120, &r, c->why);
	scratch_remove(&s);
	if (!json)
		return false;
	c->executions = (uint64_t)json_number(json_member(json, "executions"));
	c->is_complete = json_is_true(json_member(json, "complete"));
	snprintf(c->why, sizeof(c->why), "heddle check does not call its result complete: ");
	size_t said = strlen(c->why);
	n = (size_t)json_string(json_member(json, "inconclusive"), c->why + said,
				sizeof(c->why) - said - 1);
	c->why[said + (n < sizeof(c->why) - said ? n : 0)] = 0;
	c->is_limited = strstr(c->why, "limit of executions");
	if (assumes_undivided(json)) {
		c->is_complete = c->is_limited = false;
		snprintf(c->why, sizeof(c->why), "heddle check assumes that a copy is one step");
	}
	bool fine = read_outcomes(json, numbers, count, c);
	free(json);
	return fine;
}
