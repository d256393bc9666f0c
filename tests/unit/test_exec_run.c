/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running programs: this test starts itself as a program that speaks the ring's protocol by hand,
 * well or badly, and checks what the tool makes of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "exec/run.h"
#include "unit/unit.h"

/* ---- the program under test ---- */

static struct wire_session *session;
static uint64_t *ring;

static void attach(void)
{
	const char *value = getenv(WIRE_ENV);
	if (!value || strlen(value) != 10)
		_exit(90);
	int fd = atoi(value);
	struct stat st;
	if (fd < 100 || fstat(fd, &st))
		_exit(91);
	session = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (session == MAP_FAILED || session->magic != WIRE_MAGIC ||
	    session->size_of_session != sizeof(*session))
		_exit(92);
	ring = (uint64_t *)((char *)session + session->ring_offset);
	/* The size is sealed: a program cannot pull the memory away under the tool. */
	if (!ftruncate(fd, 4096))
		_exit(93);
}

static void put(uint64_t word)
{
	uint64_t words = session->ring_size / 8;
	while (session->head - session->tail >= words) {
		session->waiting_for_space = 1;
		struct timespec limit = { 0, 20000000 };
		syscall(SYS_futex, &session->waiting_for_space, FUTEX_WAIT, 1, &limit, NULL, 0);
	}
	ring[session->head % words] = word;
	__atomic_store_n(&session->head, session->head + 1, __ATOMIC_RELEASE);
}

static void put_event(unsigned kind, uint64_t value)
{
	put((uint64_t)kind << 48 | 8ull << 56 | ARENA_HEAP);
	put(1ull << 56);
	put(value);
}

/* With real threads it is not the main one that runs. */
static void *run_and_sleep(void *unused)
{
	int word = 1;
	session->running = (uint32_t)gettid();
	syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
	return unused;
}

#define MANY 1500000u /* three words each: more than two rings full */

static int child(const char *mode)
{
	if (!strcmp(mode, "native"))
		return 7;
	attach();
	put_event(EV_WRITE, 1);
	if (!strcmp(mode, "many")) {
		for (uint64_t i = 0; i < MANY; i++)
			put_event(EV_WRITE, i);
	} else if (!strcmp(mode, "damage")) {
		put(0);
		put(0);
		for (;;)
			pause();
	} else if (!strcmp(mode, "head")) {
		while (session->tail != session->head)
			usleep(100);
		session->head += session->ring_size;
		for (;;)
			pause();
	} else if (!strcmp(mode, "half")) {
		put((uint64_t)EV_WRITE << 48 | 8ull << 56);
		kill(getpid(), SIGKILL);
	} else if (!strcmp(mode, "futex")) {
		int word = 1;
		syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
	} else if (!strcmp(mode, "other-task")) {
		pthread_t t;
		pthread_create(&t, NULL, run_and_sleep, NULL);
		for (;;)
			pause();
	} else if (!strcmp(mode, "allowed")) {
		session->sleep_allowed = 1;
		struct timespec t = { 3, 0 };
		nanosleep(&t, NULL);
		session->sleep_allowed = 0;
	} else if (!strcmp(mode, "forever")) {
		for (;;)
			put_event(EV_WRITE, 1);
	} else if (!strcmp(mode, "interrupt")) {
		kill(getppid(), SIGTERM);
		for (;;)
			pause();
	} else if (!strcmp(mode, "schedule")) {
		const struct wire_step *s =
			(const void *)((char *)session + session->schedule_offset);
		const uint32_t *c = (const void *)((char *)session + session->choices_offset);
		put_event(EV_WRITE, session->schedule_count == 2 && s[1].thread == 5 &&
					    session->choices_count == 1 && c[0] == 9);
	}
	return 0;
}

/* ---- the tool ---- */

struct seen {
	uint64_t events, last_value, sum;
	int fail_at; /* the sink refuses this event; 0: none */
};

static int on_region(void *arg, const struct region *r, struct err *err)
{
	(void)arg, (void)r, (void)err;
	return 0;
}

static int on_location(void *arg, const struct location *l, struct err *err)
{
	(void)arg, (void)l, (void)err;
	return 0;
}

static int on_stack(void *arg, const struct stack_node *n, struct err *err)
{
	(void)arg, (void)n, (void)err;
	return 0;
}

static int on_event(void *arg, const struct event *e, struct err *err)
{
	struct seen *s = arg;
	s->events++;
	s->last_value = e->a;
	s->sum += e->a;
	if (s->fail_at && s->events == (uint64_t)s->fail_at)
		return err_set(err, ERR_IO, "the disk is full");
	return 0;
}

static int on_site(void *arg, const struct trace_site *s, struct err *err)
{
	(void)arg, (void)s, (void)err;
	return 0;
}

static int on_chunk(void *arg, const struct access_chunk *c, struct err *err)
{
	(void)arg, (void)c, (void)err;
	return 0;
}

static void on_note(void *arg, const char *text)
{
	(void)arg, (void)text;
}

static void on_warning(void *arg, const char *text)
{
	(void)text;
	++*(int *)arg;
}

static int run(const char *mode, uint64_t timeout, struct seen *seen, struct run_result *result,
	       struct err *err)
{
	const struct decode_sink sink = { seen,	    on_region, on_location, on_stack, on_site,
					  on_event, on_chunk,  on_event,    on_note };
	static const struct wire_step schedule[2] = { { 3, 1, 0 }, { 7, 5, 0 } };
	static const uint32_t choices[1] = { 9 };
	char name[] = "child", copy[32];
	snprintf(copy, sizeof(copy), "%s", mode);
	char *argv[] = { name, copy, NULL };
	int warnings = 0;
	struct run_options o = {
		.session = { .path = "/proc/self/exe",
			     .argv = argv,
			     .until_event = UINT64_MAX,
			     .schedule = schedule,
			     .schedule_count = 2,
			     .choices = choices,
			     .choices_count = 1 },
		.timeout = timeout,
		.warn = on_warning,
		.warn_arg = &warnings,
	};
	struct decoder *d = mem_alloc(sizeof(*d));
	decode_init(d, &sink, NULL);
	int rc = run_program(&o, d, result, err);
	decode_release(d);
	mem_free(d);
	return rc;
}

static void takes_more_than_the_ring_holds(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("many", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_ENDED);
	assert_true(WIFEXITED(r.wait_status) && WEXITSTATUS(r.wait_status) == 0);
	assert_int_equal(s.events, MANY + 1);
	assert_true(s.sum == (uint64_t)MANY * (MANY - 1) / 2 + 1);
}

static void damage_ends_the_program(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("damage", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_DAMAGED);
	assert_int_equal(s.events, 1);
	assert_string_equal(
		r.text.text,
		"the program damaged its event stream at word 3: a record of no known kind");
	s = (struct seen){ 0 };
	assert_int_equal(run("head", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_DAMAGED);
	assert_string_equal(
		r.text.text,
		"the program damaged its event stream at word 3: its end is out of range");
}

static void a_killed_program_keeps_its_events(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("half", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_ENDED);
	assert_true(WIFSIGNALED(r.wait_status) && WTERMSIG(r.wait_status) == SIGKILL);
	assert_int_equal(s.events, 1);
}

static void a_failing_sink_ends_the_program(void **state)
{
	(void)state;
	struct seen s = { .fail_at = 1000 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("forever", 60, &s, &r, &err), -ERR_IO);
	assert_string_equal(err.text, "the disk is full");
	assert_int_equal(s.events, 1000);
	assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void sleeps_are_told_by_name(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("futex", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_ASLEEP);
	assert_string_equal(
		r.text.text,
		"the program sleeps in futex() outside heddle's control, called from thread 0 "
		"(last event 1)");
	assert_int_equal(run("other-task", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_ASLEEP);
	assert_int_equal(run("allowed", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_ENDED);
}

static void limits_and_interrupts_end_it(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("forever", 1, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_TIMEOUT);
	assert_string_equal(r.text.text,
			    "the program did not end within 1 seconds and was stopped");
	assert_int_equal(run("interrupt", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_INTERRUPTED);
	assert_string_equal(r.text.text, "interrupted by SIGTERM");
	assert_true(WIFSIGNALED(r.wait_status) && WTERMSIG(r.wait_status) == SIGTERM);
}

static void schedule_and_choices_arrive(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("schedule", 60, &s, &r, &err), 0);
	assert_int_equal(s.last_value, 1);
}

static void programs_that_are_not_ours(void **state)
{
	(void)state;
	struct seen s = { 0 };
	struct run_result r;
	struct err err = { 0 };
	assert_int_equal(run("native", 60, &s, &r, &err), 0);
	assert_int_equal(r.end, RUN_UNCONTROLLED);
	assert_string_equal(
		r.text.text,
		"the program ended with status 7 before heddle's runtime took control of it");
	struct buf path = { 0 };
	assert_int_equal(session_find_program("/etc/passwd", &path, &err), -ERR_PROGRAM);
	assert_string_equal(err.text, "/etc/passwd is not an executable file");
	buf_clear(&path);
	assert_int_equal(session_find_program("no-such-program-here", &path, &err), -ERR_PROGRAM);
	assert_string_equal(err.text, "there is no program 'no-such-program-here' in PATH");
	buf_clear(&path);
	assert_int_equal(session_find_program("sh", &path, &err), 0);
	assert_true(path.at[0] == '/');
	buf_release(&path);
}

static void a_failed_exec_is_a_sentence(void **state)
{
	(void)state;
	char name[] = "x";
	char *argv[] = { name, NULL };
	struct session_config c = { .path = "/etc/passwd", .argv = argv };
	struct session s;
	struct err err = { 0 };
	assert_int_equal(session_start(&s, &c, &err), -ERR_PROGRAM);
	assert_string_equal(err.text, "cannot start /etc/passwd: Permission denied");
	session_release(&s);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[0], "child"))
		return child(argv[1]);
	RUN(cmocka_unit_test(takes_more_than_the_ring_holds),
	    cmocka_unit_test(damage_ends_the_program),
	    cmocka_unit_test(a_killed_program_keeps_its_events),
	    cmocka_unit_test(a_failing_sink_ends_the_program),
	    cmocka_unit_test(sleeps_are_told_by_name),
	    cmocka_unit_test(limits_and_interrupts_end_it),
	    cmocka_unit_test(schedule_and_choices_arrive),
	    cmocka_unit_test(programs_that_are_not_ours),
	    cmocka_unit_test(a_failed_exec_is_a_sentence));
}
