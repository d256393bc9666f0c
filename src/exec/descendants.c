/* SPDX-License-Identifier: Apache-2.0 */
/* The processes below this one, from the parents in /proc; see descendants.h. */
#include "exec/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "wire/run.h"

struct process {
	pid_t pid, parent;
	bool is_below;
	char name[32];
};

/* False if it has ended.  A first thread that has left by pthread_exit is a zombie as well, as long
 * as another thread runs. */
static bool is_alive(const char *after_name)
{
	char state;
	long threads;
	if (sscanf(after_name,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
		   &state, &threads) < 2)
		return false;
	return state != 'X' && (state != 'Z' || threads > 1);
}

static bool read_process(const char *pid, struct process *p)
{
	char path[300], line[512];
	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;
	if (f)
		fclose(f);
	line[n] = 0;
	/* The name is in parentheses and may have some itself. */
	char *name = strchr(line, '('), *end = strrchr(line, ')');
	if (!name || !end || end[1] != ' ' || !is_alive(end + 1))
		return false;
	*p = (struct process){ .pid = atoi(pid), .parent = atoi(end + 3) };
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(end - name - 1), name + 1);
	return true;
}

/* Looks for the shadow in the mappings that this task knows; a thread that has ended knows none. */
static bool find_shadow(pid_t pid, const char *task, bool *is_there)
{
	char path[300], line[512], start[32];
	snprintf(path, sizeof(path), "/proc/%d/task/%s/maps", (int)pid, task);
	snprintf(start, sizeof(start), "%" PRIx64 "-", (uint64_t)RUN_SHADOW);
	FILE *f = fopen(path, "re");
	bool has_mappings = false;
	*is_there = false;
	while (f && !*is_there && fgets(line, sizeof(line), f)) {
		has_mappings = true;
		*is_there = !strncmp(line, start, strlen(start));
	}
	if (f)
		fclose(f);
	return has_mappings;
}

static bool has_shadow(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	struct dirent *e;
	bool is_there = false;
	while (tasks && (e = readdir(tasks)))
		if (isdigit((unsigned char)e->d_name[0]) && find_shadow(pid, e->d_name, &is_there))
			break;
	if (tasks)
		closedir(tasks);
	return is_there;
}

void descendants_find(struct descendants *d)
{
	VEC(struct process) all = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *e;
	struct process p;
	while (proc && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]) && read_process(e->d_name, &p))
			vec_push(&all, p);
	if (proc)
		closedir(proc);
	d->list.len = 0;
	bool is_changed;
	do {
		is_changed = false;
		for (size_t i = 0; i < all.len; i++) {
			bool is_below = all.at[i].parent == getpid();
			for (size_t k = 0; !is_below && k < all.len; k++)
				is_below = all.at[k].is_below && all.at[k].pid == all.at[i].parent;
			if (!is_below || all.at[i].is_below)
				continue;
			all.at[i].is_below = is_changed = true;
			struct descendant *new = vec_add(&d->list);
			new->pid = all.at[i].pid;
			new->is_watched = has_shadow(new->pid);
			memcpy(new->name, all.at[i].name, sizeof(new->name));
		}
	} while (is_changed);
	vec_release(&all);
}

void descendants_release(struct descendants *d)
{
	vec_release(&d->list);
}

void descendants_signal(const struct descendants *d, int number, bool is_for_watched)
{
	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.at[i].is_watched || !is_for_watched)
			kill(d->list.at[i].pid, number);
}
