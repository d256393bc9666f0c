/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting the program under test; see session.h.
 *
 * The memory file is sealed against changes of its size, so that a program that truncates it by
 * accident cannot make the tool fault on its mapping.  The child reports a failed exec through a
 * pipe that a successful exec closes, so that "cannot be started" and "exited with 127" are
 * distinguished exactly.
 */
#include "exec/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "exec/processor.h"
#include "wire/version.h"

#define RING_BYTES (16ull << 20)
#define PAGE 4096ull
#define SESSION_FD 100
/* Capacities for exploration; unused pages take no memory. */
#define TURNS_ROOM (1ull << 21)
#define CHOICES_ROOM (1ull << 20)
#define SLEEPERS_ROOM (1ull << 13)
#define SLEEPER_OPS_ROOM (1ull << 18)
#define OPS_ROOM (1ull << 23)
#define INPUT_ROOM (16ull << 20)

static bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int session_find_program(const char *name, struct buf *path, struct err *err)
{
	if (strchr(name, '/')) {
		buf_str(path, name);
		if (access(name, F_OK))
			return err_set(err, ERR_PROGRAM, "there is no program %s: %s", name,
				       strerror(errno));
		if (!is_program(name))
			return err_set(err, ERR_PROGRAM, "%s is not an executable file", name);
		return 0;
	}
	const char *search = getenv("PATH");
	if (!search)
		search = "/bin:/usr/bin";
	for (const char *at = search; *name;) {
		const char *end = strchrnul(at, ':');
		buf_clear(path);
		buf_add(path, at, (size_t)(end - at));
		buf_str(path, end == at ? "./" : "/");
		buf_str(path, name);
		if (is_program(path->at))
			return 0;
		if (!*end)
			break;
		at = end + 1;
	}
	const char *hint = is_program(name) ? "; did you mean ./" : "";
	return err_set(err, ERR_PROGRAM, "there is no program '%s' in PATH%s%s", name, hint,
		       *hint ? name : "");
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static uint64_t take_room(uint64_t *next, uint64_t count, uint64_t size)
{
	uint64_t at = *next;
	*next = round_up(at + count * size, 64);
	return at;
}

/* Set offsets, relative to struct wire_explore; returns the size of everything. */
static uint64_t lay_out_explore(struct wire_explore *x)
{
	uint64_t next = round_up(sizeof(*x), 64);
	x->turns_room = TURNS_ROOM;
	x->turns_offset = take_room(&next, x->turns_room, sizeof(struct wire_turn));
	x->choices_room = CHOICES_ROOM;
	x->choices_offset = take_room(&next, x->choices_room, sizeof(uint32_t));
	x->sleepers_room = SLEEPERS_ROOM;
	x->sleepers_offset = take_room(&next, x->sleepers_room, sizeof(struct wire_sleeper));
	x->sleeper_ops_room = SLEEPER_OPS_ROOM;
	x->sleeper_ops_offset = take_room(&next, x->sleeper_ops_room, sizeof(struct wire_op));
	x->ops_room = OPS_ROOM;
	x->ops_offset = take_room(&next, x->ops_room, sizeof(struct wire_op));
	x->input_room = INPUT_ROOM;
	x->input_offset = take_room(&next, x->input_room, 1);
	return next;
}

static void fill_explore(struct wire_explore *x, const struct session_explore *c)
{
	lay_out_explore(x);
	_Static_assert(sizeof(x->processors) == sizeof(cpu_set_t), "the same set");
	memcpy(x->processors, processors_all(), sizeof(x->processors));
	x->restart = c->restart;
	x->step_limit = c->step_limit;
	x->thread_limit = c->thread_limit;
	x->round_limit = c->round_limit;
	x->loop_limit = c->loop_limit;
	x->is_recorded = c->recorded != NULL;
	x->counts_waits = c->counts_waits;
}

static void put(struct session *s, uint64_t offset, const void *from, size_t bytes)
{
	if (bytes)
		memcpy((char *)s->explore + offset, from, bytes);
}

void session_copy_inputs(struct session *s, const struct session *other)
{
	struct wire_explore *x = s->explore, *from = other->explore;
	uint64_t known = x->input_count,
		 count = from->input_count < INPUT_ROOM ? from->input_count : INPUT_ROOM;
	if (count > known)
		memcpy((char *)x + x->input_offset + known,
		       (const char *)from + from->input_offset + known, count - known);
	x->input_count = count;
	x->input_has_ended = from->input_has_ended;
	memcpy(x->answers, from->answers, sizeof(x->answers));
}

bool session_set_input(struct session *s, const void *bytes, size_t len)
{
	if (len > INPUT_ROOM)
		return false;
	put(s, s->explore->input_offset, bytes, len);
	s->explore->input_count = len;
	s->explore->input_has_ended = 1;
	return true;
}

int session_set_plan(struct session *s, const struct plan *p, struct err *err)
{
	struct wire_explore *x = s->explore;
	if (p->turns_count > TURNS_ROOM || p->choices_count > CHOICES_ROOM ||
	    p->sleepers_count > SLEEPERS_ROOM || p->sleeper_ops_count > SLEEPER_OPS_ROOM)
		return err_set(err, ERR_SUPPORT,
			       "an execution of %zu turns is too long to be planned",
			       p->turns_count);
	put(s, x->turns_offset, p->turns, p->turns_count * sizeof(*p->turns));
	put(s, x->choices_offset, p->choices, p->choices_count * sizeof(*p->choices));
	put(s, x->sleepers_offset, p->sleepers, p->sleepers_count * sizeof(*p->sleepers));
	put(s, x->sleeper_ops_offset, p->sleeper_ops,
	    p->sleeper_ops_count * sizeof(*p->sleeper_ops));
	x->turns_count = p->turns_count;
	x->choices_count = p->choices_count;
	x->sleepers_count = p->sleepers_count;
	x->free_run = p->free_run;
	x->free_run_seed = p->seed;
	x->free_run_changes = p->changes;
	x->free_run_length = p->length;
	x->spins = p->spins;
	x->keeps_rounds = p->keeps_rounds;
	return 0;
}

static void fill_header(struct wire_session *w, const struct session_config *c,
			uint64_t ring_offset)
{
	w->magic = WIRE_MAGIC;
	w->version = WIRE_VERSION;
	w->size_of_session = sizeof(*w);
	w->policy = c->policy;
	w->preempt = c->preempt;
	w->length = c->length;
	w->seed = c->seed;
	w->step_limit = c->step_limit;
	w->until_event = c->until_event;
	w->schedule_offset = sizeof(*w);
	w->schedule_count = c->schedule_count;
	w->choices_offset = w->schedule_offset + c->schedule_count * sizeof(struct wire_step);
	w->choices_count = c->choices_count;
	w->ring_offset = ring_offset;
	w->ring_size = RING_BYTES;
	w->keep_aslr = c->keep_aslr;
	w->backend = c->backend;
	w->debugger = c->has_debugger ? DEBUGGER_AWAITED : DEBUGGER_NONE;
	w->inputs_size = c->inputs_fd ? c->inputs_size : 0;
	w->plain_accesses = c->plain_accesses || c->memory != MEMORY_SC;
	w->branch_events = c->branch_events;
	w->memory = c->memory;
	w->heap = c->heap;
	w->spurious_wakeups = c->spurious_wakeups;
	w->awaits = c->awaits;
	if (c->divided)
		w->divided = *c->divided;
	w->waits_for_stores = c->waits_for_stores || c->policy == POLICY_EXPLORE;
	if (c->schedule_count)
		memcpy((char *)w + w->schedule_offset, c->schedule,
		       c->schedule_count * sizeof(struct wire_step));
	if (c->choices_count)
		memcpy((char *)w + w->choices_offset, c->choices,
		       c->choices_count * sizeof(uint32_t));
}

static int map_ring(struct session *s, struct err *err)
{
	char *place = mmap(NULL, 2 * RING_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (place == MAP_FAILED)
		return err_set(err, ERR_IO, "cannot reserve memory for the ring: %s",
			       strerror(errno));
	s->ring = (const uint64_t *)place;
	s->ring_words = RING_BYTES / 8;
	for (int half = 0; half < 2; half++) {
		void *got = mmap(place + half * RING_BYTES, RING_BYTES, PROT_READ,
				 MAP_SHARED | MAP_FIXED, s->fd, (off_t)s->mapped);
		if (got == MAP_FAILED)
			return err_set(err, ERR_IO, "cannot map the ring: %s", strerror(errno));
	}
	return 0;
}

static int make_shared(struct session *s, const struct session_config *c, struct err *err)
{
	uint64_t used = sizeof(struct wire_session) + c->schedule_count * sizeof(struct wire_step) +
			c->choices_count * sizeof(uint32_t);
	struct wire_explore layout;
	uint64_t explore_at = round_up(used, 64);
	if (c->explore)
		used = explore_at + lay_out_explore(&layout);
	s->mapped = round_up(used, PAGE);
	s->fd = memfd_create("heddle-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0)
		return err_set(err, ERR_IO, "cannot create shared memory: %s", strerror(errno));
	if (ftruncate(s->fd, (off_t)(s->mapped + RING_BYTES)) ||
	    fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return err_set(err, ERR_IO, "cannot size the shared memory: %s", strerror(errno));
	void *place = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (place == MAP_FAILED)
		return err_set(err, ERR_IO, "cannot map the shared memory: %s", strerror(errno));
	s->shared = place;
	fill_header(s->shared, c, s->mapped);
	if (c->explore) {
		s->shared->explore_offset = explore_at;
		s->explore = (struct wire_explore *)((char *)place + explore_at);
		fill_explore(s->explore, c->explore);
	}
	int rc = c->explore && c->explore->recorded ? session_set_plan(s, c->explore->recorded, err)
						    : 0;
	return rc ? rc : map_ring(s, err);
}

/* The program's environment: `from`, with the session's variable in place of an inherited one. */
static char **make_environment(char *const *from, char *variable)
{
	size_t n = 0, name = strlen(WIRE_ENV "=");
	while (from[n])
		n++;
	char **env = mem_zero(n + 2, sizeof(*env));
	size_t out = 0;
	for (size_t i = 0; i < n; i++)
		if (from[i][0] && strncmp(from[i], WIRE_ENV "=", name))
			env[out++] = from[i];
	env[out] = variable;
	return env;
}

struct start_failure {
	int what;   /* 0: exec, 1: descriptor */
	int reason; /* errno */
};

/* In the child: only system calls until exec. */
static _Noreturn void exec_program(const struct session *s, const struct session_config *c,
				   char **env, char *digits, int report, pid_t parent)
{
	struct start_failure failure = { 0 };
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	processor_open_counter(); /* it is inherited */
	if (getppid() != parent)
		_exit(127);
	if (c->mask)
		sigprocmask(SIG_SETMASK, c->mask, NULL);
	if (c->explore && CPU_COUNT(processors_all()))
		sched_setaffinity(0, sizeof(cpu_set_t), processors_all());
	int fd = fcntl(s->fd, F_DUPFD, SESSION_FD);
	if (fd < 0) /* the limit of descriptors is lower */
		fd = fcntl(s->fd, F_DUPFD, 3);
	int inputs = fd < 0 || !c->inputs_fd ? fd : fcntl(c->inputs_fd, F_DUPFD, fd);
	s->shared->inputs_fd = inputs;
	if (inputs < 0) {
		failure.what = 1;
	} else {
		for (int i = 9, v = fd; i >= 0; i--, v /= 10)
			digits[i] = (char)('0' + v % 10);
		if (!c->keep_aslr) {
			int now = personality(0xffffffff);
			if (now >= 0)
				personality((unsigned long)now | ADDR_NO_RANDOMIZE);
		}
		execve(c->path, c->argv, env);
	}
	failure.reason = errno;
	file_write_fd(report, &failure, sizeof(failure));
	_exit(127);
}

static int explain_start(const struct session_config *c, const struct start_failure *f,
			 struct err *err)
{
	if (f->what)
		return err_set(err, ERR_IO, "cannot give the program its descriptor: %s",
			       strerror(f->reason));
	return err_set(err, ERR_PROGRAM, "cannot start %s: %s", c->path, strerror(f->reason));
}

int session_open(struct session *s, const struct session_config *c, struct err *err)
{
	*s = (struct session){ .fd = -1 };
	return make_shared(s, c, err);
}

int session_start(struct session *s, const struct session_config *c, struct err *err)
{
	int rc = session_open(s, c, err);
	return rc ? rc : session_launch(s, c, err);
}

int session_launch(struct session *s, const struct session_config *c, struct err *err)
{
	int report[2], rc = 0;
	s->shared->state = STATE_STARTING;
	s->shared->sleep_allowed = s->shared->running = 0;
	if (pipe2(report, O_CLOEXEC))
		return err_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
	char variable[] = WIRE_ENV "=0000000000";
	char **env = make_environment(c->environment ? c->environment : environ, variable);
	pid_t parent = getpid();
	s->pid = fork();
	if (s->pid == 0)
		exec_program(s, c, env, variable + strlen(WIRE_ENV "="), report[1], parent);
	int fork_errno = errno;
	mem_free(env);
	close(report[1]);
	struct start_failure failure;
	if (s->pid < 0) {
		s->pid = 0;
		rc = err_set(err, ERR_IO, "cannot create a process: %s", strerror(fork_errno));
	} else {
		ssize_t n;
		do {
			n = read(report[0], &failure, sizeof(failure));
		} while (n < 0 && errno == EINTR);
		if (n == sizeof(failure))
			rc = explain_start(c, &failure, err);
	}
	close(report[0]);
	return rc;
}

bool session_reap(struct session *s)
{
	if (!s->pid)
		return true;
	pid_t got = waitpid(s->pid, &s->wait_status, WNOHANG);
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	s->pid = 0;
	return true;
}

void session_signal(struct session *s, int signal)
{
	if (s->pid)
		kill(s->pid, signal);
}

void session_kill(struct session *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, &s->wait_status, 0) < 0 && errno == EINTR)
		continue;
	s->pid = 0;
}

void session_release(struct session *s)
{
	session_kill(s);
	if (s->ring)
		munmap((void *)(uintptr_t)s->ring, 2 * RING_BYTES);
	if (s->shared)
		munmap(s->shared, s->mapped);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct session){ .fd = -1, .wait_status = s->wait_status };
}
