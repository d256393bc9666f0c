/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment is read by a constructor, before the program's main.  A value that cannot be
 * read is reported and ignored.
 */
#include "omp/settings.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings heddle_omp_settings = {
	.first = { .schedule = LOOP_DYNAMIC, .chunk = 1, .max_active_levels = 1 },
	.thread_limit = UINT_MAX,
};

unsigned heddle_omp_processors(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}

static void reject(const char *name, const char *value)
{
	fprintf(stderr, "heddle: the value '%s' of the environment variable %s is ignored\n", value,
		name);
}

static bool read_number(const char **at, unsigned long low, unsigned long high,
			unsigned long *number)
{
	char *end;
	while (**at == ' ')
		++*at;
	if (**at < '0' || **at > '9')
		return false;
	*number = strtoul(*at, &end, 10);
	while (*end == ' ')
		end++;
	*at = end;
	return *number >= low && *number <= high;
}

static void set_number(const char *name, unsigned low, unsigned high, unsigned *to)
{
	const char *value = getenv(name), *at = value;
	unsigned long number;
	if (!value)
		return;
	if (read_number(&at, low, high, &number) && !*at)
		*to = (unsigned)number;
	else
		reject(name, value);
}

static bool set_flag(const char *name, bool *to)
{
	const char *value = getenv(name);
	if (!value)
		return false;
	if (!strcasecmp(value, "true") || !strcmp(value, "1"))
		*to = true;
	else if (!strcasecmp(value, "false") || !strcmp(value, "0"))
		*to = false;
	else
		reject(name, value);
	return true;
}

static void set_threads(struct settings *s)
{
	const char *value = getenv("OMP_NUM_THREADS"), *at = value;
	unsigned long number;
	if (!value)
		return;
	unsigned list[16], count = 0;
	while (count < 16 && read_number(&at, 1, 65535, &number)) {
		list[count++] = (unsigned)number;
		if (*at != ',')
			break;
		at++;
	}
	if (!count || *at) {
		reject("OMP_NUM_THREADS", value);
		return;
	}
	s->first.threads = list[0];
	s->nested_count = count - 1;
	memcpy(s->nested_threads, list + 1, (count - 1) * sizeof(*list));
	if (count > 1)
		s->first.max_active_levels = INT_MAX;
}

static void set_schedule(struct settings *s)
{
	static const char *const kinds[] = {
		[LOOP_STATIC] = "static",
		[LOOP_DYNAMIC] = "dynamic",
		[LOOP_GUIDED] = "guided",
		[LOOP_AUTO] = "auto",
	};
	const char *value = getenv("OMP_SCHEDULE"), *at = value;
	if (!value)
		return;
	unsigned modifier = 0;
	if (!strncasecmp(at, "monotonic:", 10)) {
		modifier = LOOP_MONOTONIC;
		at += 10;
	} else if (!strncasecmp(at, "nonmonotonic:", 13)) {
		at += 13;
	}
	size_t length = strcspn(at, ",");
	for (unsigned kind = LOOP_STATIC; kind <= LOOP_AUTO; kind++) {
		unsigned long chunk = kind != LOOP_STATIC;
		if (strlen(kinds[kind]) != length || strncasecmp(at, kinds[kind], length))
			continue;
		at += length;
		if (*at && (at++, !read_number(&at, 1, INT_MAX, &chunk) || *at))
			break;
		s->first.schedule = kind | modifier;
		s->first.chunk = chunk;
		return;
	}
	reject("OMP_SCHEDULE", value);
}

static void set_stack_size(struct settings *s)
{
	const char *value = getenv("OMP_STACKSIZE"), *at = value;
	unsigned long number;
	if (!value)
		return;
	bool is_number = read_number(&at, 1, ULONG_MAX >> 30, &number);
	static const char units[] = "bBkKmMgG";
	int shift = 10;
	if (is_number && *at) {
		const char *unit = strchr(units, *at++);
		is_number = unit;
		shift = unit ? 10 * (int)((unit - units) / 2) : 0;
	}
	if (is_number && !*at)
		s->stack_size = number << shift;
	else
		reject("OMP_STACKSIZE", value);
}

__attribute__((constructor(101))) static void read_environment(void)
{
	struct settings *s = &heddle_omp_settings;
	unsigned priority = 0;
	bool is_nested = false;
	set_threads(s);
	set_schedule(s);
	set_stack_size(s);
	set_flag("OMP_DYNAMIC", &s->first.is_dynamic);
	set_flag("OMP_CANCELLATION", &s->can_cancel);
	if (set_flag("OMP_NESTED", &is_nested))
		s->first.max_active_levels = is_nested ? INT_MAX : 1;
	set_number("OMP_MAX_ACTIVE_LEVELS", 0, INT_MAX, &s->first.max_active_levels);
	set_number("OMP_THREAD_LIMIT", 1, INT_MAX, &s->thread_limit);
	set_number("OMP_NUM_TEAMS", 1, INT_MAX, &s->teams);
	set_number("OMP_TEAMS_THREAD_LIMIT", 1, INT_MAX, &s->teams_thread_limit);
	set_number("OMP_MAX_TASK_PRIORITY", 0, INT_MAX, &priority);
	s->max_task_priority = (int)priority;
}
