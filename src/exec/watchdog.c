/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog; see watchdog.h.  It reads /proc of the task that runs the program's code (the
 * main task, or with the thread backend the one that the runtime names).  The other tasks sleep
 * by design and are ignored.
 */
#include "exec/watchdog.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/inputs.h"

#define CHECK_EVERY (NS_PER_SECOND / 10)
#define STILL_FOR (2 * NS_PER_SECOND)
#define SPIN_SECONDS 10

const char *watchdog_call_name(long number)
{
	const char *name = call_name((unsigned)number);
	return name ? name : "system call";
}

/* Read a file of the task that runs the program's code.  A wrong number from a damaged session is
 * not a task of this process, so the file does not exist. */
static bool read_proc(pid_t pid, const struct wire_session *s, const char *name, char *text,
		      size_t size)
{
	char path[64];
	uint32_t running = s->running;
	snprintf(path, sizeof(path), "/proc/%d/task/%u/%s", (int)pid,
		 running ? running : (unsigned)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* State letter and used clock ticks of the task.  The name in parentheses may contain anything,
 * so the fields after the last parenthesis are parsed. */
static bool task_state(pid_t pid, const struct wire_session *s, char *state, uint64_t *ticks)
{
	char text[1024];
	if (!read_proc(pid, s, "stat", text, sizeof(text)))
		return false;
	const char *after = strrchr(text, ')');
	unsigned long long user, system;
	if (!after || sscanf(after, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", state,
			     &user, &system) != 3)
		return false;
	*ticks = user + system;
	return true;
}

static void restart(struct watchdog *w, const struct wire_session *s, uint64_t now)
{
	char state;
	w->head = s->head;
	w->hooks = s->hooks;
	w->since = now;
	if (!task_state(w->pid, s, &state, &w->cpu_at_since))
		w->cpu_at_since = 0;
}

void watchdog_init(struct watchdog *w, pid_t pid, uint64_t now)
{
	*w = (struct watchdog){ .pid = pid, .since = now, .next_check = now + CHECK_EVERY };
}

static enum watchdog_verdict judge_sleep(struct watchdog *w, const struct wire_session *s,
					 const char **call)
{
	char text[256];
	if (!read_proc(w->pid, s, "syscall", text, sizeof(text)))
		return WATCHDOG_FINE;
	char *end;
	long number = strtol(text, &end, 10);
	/* running, or blocked outside a system call (a page fault) */
	if (end == text || number < 0)
		return WATCHDOG_FINE;
	*call = watchdog_call_name(number);
	if (number == SYS_futex)
		return WATCHDOG_ASLEEP;
	if (w->has_warned)
		return WATCHDOG_FINE;
	w->has_warned = true;
	return WATCHDOG_WARN;
}

enum watchdog_verdict watchdog_check(struct watchdog *w, const struct wire_session *s, uint64_t now,
				     const char **call)
{
	if (now < w->next_check)
		return WATCHDOG_FINE;
	w->next_check = now + CHECK_EVERY;
	if (s->head != w->head || s->hooks != w->hooks || s->sleep_allowed ||
	    s->waiting_for_space) {
		restart(w, s, now);
		return WATCHDOG_FINE;
	}
	char state;
	uint64_t ticks;
	if (now - w->since < STILL_FOR || !task_state(w->pid, s, &state, &ticks))
		return WATCHDOG_FINE;
	if (state == 'T' || state == 't') { /* stopped by job control or a debugger */
		restart(w, s, now);
		return WATCHDOG_FINE;
	}
	if (state == 'S' || state == 'D')
		return judge_sleep(w, s, call);
	uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
	return state == 'R' && ticks - w->cpu_at_since >= SPIN_SECONDS * per_second
		       ? WATCHDOG_SPINNING
		       : WATCHDOG_FINE;
}
