/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate_trace FAULT N <TRACE-AS-TEXT: prints the trace with one fault put in, at the Nth place
 * (from 0) where it fits. Status 3: there is no such place.  mutate_trace list: prints the names
 * of the faults.
 *
 * Every fault makes a valid trace invalid for certain, so a validator that accepts the result is
 * wrong.  That is why most places are chosen with care: a changed value counts only if the same
 * bytes have been seen before, a dropped release only if somebody else takes the lock later, and
 * so on.
 *
 * Above 500 lines because it is one list: a function for each fault.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *text;
	char kind[24]; /* "" if it is not an event */
	unsigned thread;
	uint64_t size, obj, a, b;
};

static struct line *lines;
static size_t count;

static uint64_t after(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	return at ? strtoull(at + strlen(mark), NULL, 0) : 0;
}

static void parse(struct line *l)
{
	int skip = 0;
	if (sscanf(l->text, "T%u %23[^: \n]%n", &l->thread, l->kind, &skip) < 2)
		return;
	const char *word = l->text + skip;
	word += strcspn(word, " \n");
	if (word[0] == ' ' && strspn(word + 1, "0123456789") == strcspn(word + 1, " \n")) {
		l->size = strtoull(word + 1, NULL, 10);
		word += 1 + strcspn(word + 1, " \n");
	}
	if (!strncmp(word, " 0x", 3))
		l->obj = strtoull(word + 1, NULL, 16);
	l->a = after(l->text, " = ");
	l->b = after(l->text, " -> ");
}

static bool is(size_t i, const char *kind)
{
	return i < count && !strcmp(lines[i].kind, kind);
}

static bool is_access(size_t i)
{
	return is(i, "read") || is(i, "write") || is(i, "rmw") || is(i, "initial") ||
	       is(i, "outside-write");
}

/* The next event of the same thread that is not a switch, or `count`. */
static size_t next_own(size_t i)
{
	for (size_t k = i + 1; k < count; k++)
		if (*lines[k].kind && lines[k].thread == lines[i].thread && !is(k, "switch"))
			return k;
	return count;
}

static bool seen_before(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_access(k) && lines[k].obj == lines[i].obj && lines[k].size == lines[i].size)
			return true;
	return false;
}

/* ---- faults: each looks at line i and says whether it fits there; if `apply`, it is put in ----
 */

static void drop(size_t i)
{
	lines[i].text = "";
}

static void swap(size_t i, size_t k)
{
	const char *text = lines[i].text;
	lines[i].text = lines[k].text;
	lines[k].text = text;
}

static void insert_before(size_t i, const char *text)
{
	size_t size = strlen(text) + strlen(lines[i].text) + 1;
	char *joined = malloc(size);
	snprintf(joined, size, "%s%s", text, lines[i].text);
	lines[i].text = joined;
}

/* Put another number in the place of the one after a mark. */
static void replace(size_t i, const char *mark, uint64_t value)
{
	const char *text = lines[i].text, *at = strstr(text, mark) + strlen(mark);
	size_t size = strlen(text) + 32;
	char *changed = malloc(size);
	snprintf(changed, size, "%.*s%llu%s", (int)(at - text), text, (unsigned long long)value,
		 at + strcspn(at, " \n"));
	lines[i].text = changed;
}

static bool drop_acquire(size_t i, bool apply)
{
	if (!is(i, "acquire"))
		return false;
	if (apply)
		drop(i);
	return true;
}

/* Of an rwlock another reader may follow without it. */
static bool drop_release(size_t i, bool apply)
{
	if (!is(i, "release") || strstr(lines[i].text, ":rdlock"))
		return false;
	for (size_t k = i + 1; k < count; k++) {
		if (!is(k, "acquire") || lines[k].obj != lines[i].obj)
			continue;
		if (apply && lines[k].thread != lines[i].thread)
			drop(i);
		return lines[k].thread != lines[i].thread;
	}
	return false;
}

static bool change_depth(size_t i, bool apply)
{
	if (!is(i, "release") && !is(i, "acquire"))
		return false;
	if (apply)
		replace(i, " = ", lines[i].a + 1);
	return true;
}

static bool change_read(size_t i, bool apply)
{
	if (!is(i, "read") || lines[i].size > 8 || !seen_before(i))
		return false;
	if (apply)
		replace(i, " = ", lines[i].a ^ 1);
	return true;
}

static bool change_old_value(size_t i, bool apply)
{
	if (!is(i, "rmw") || lines[i].size > 8 || !seen_before(i))
		return false;
	if (apply)
		replace(i, " = ", lines[i].a ^ 1);
	return true;
}

static bool change_write(size_t i, bool apply)
{
	if (!is(i, "write") || !lines[i].size || lines[i].size > 8)
		return false;
	for (size_t k = i + 1; k < count; k++) {
		if (!is_access(k) && !is(k, "alloc") && !is(k, "free"))
			continue;
		uint64_t end = lines[k].obj + lines[k].size, own_end = lines[i].obj + lines[i].size;
		if (end <= lines[i].obj || own_end <= lines[k].obj)
			continue;
		bool sees = is(k, "read") && lines[k].size == lines[i].size &&
			    lines[k].obj == lines[i].obj;
		if (apply && sees)
			replace(i, " = ", lines[i].a ^ 1);
		return sees;
	}
	return false;
}

static bool drop_switch(size_t i, bool apply)
{
	if (!is(i, "switch") || i + 1 == count || is(i + 1, "switch") || !*lines[i + 1].kind)
		return false;
	if (apply)
		drop(i);
	return true;
}

static bool early_switch(size_t i, bool apply)
{
	if (!is(i, "switch") || i + 1 == count || !*lines[i + 1].kind || is(i + 1, "switch"))
		return false;
	if (apply)
		swap(i, i + 1);
	return true;
}

static bool hooks_fall(size_t i, bool apply)
{
	if (!is(i, "switch") || !lines[i].a)
		return false;
	for (size_t k = 0; k < i; k++) {
		if (!is(k, "switch") || lines[k].a == 0)
			continue;
		if (apply)
			replace(i, " = ", lines[k].a - 1);
		return true;
	}
	return false;
}

static bool drop_fork(size_t i, bool apply)
{
	for (size_t k = i + 1; is(i, "fork") && k < count; k++) {
		if (!is(k, "begin") || lines[k].thread != lines[i].a)
			continue;
		if (apply)
			drop(i);
		return true;
	}
	return false;
}

static bool drop_begin(size_t i, bool apply)
{
	if (!is(i, "begin") || next_own(i) == count)
		return false;
	if (apply)
		drop(i);
	return true;
}

static bool drop_end(size_t i, bool apply)
{
	for (size_t k = i + 1; is(i, "end") && k < count; k++) {
		if (!is(k, "join") || lines[k].a != lines[i].thread)
			continue;
		if (apply)
			drop(i);
		return true;
	}
	return false;
}

static bool early_end(size_t i, bool apply)
{
	char text[32];
	if (!is(i, "read") && !is(i, "write"))
		return false;
	snprintf(text, sizeof(text), "T%u end\n", lines[i].thread);
	if (apply)
		insert_before(i, text);
	return true;
}

static bool join_twice(size_t i, bool apply)
{
	if (!is(i, "join"))
		return false;
	if (apply)
		insert_before(i, lines[i].text);
	return true;
}

static bool drop_signal(size_t i, bool apply)
{
	if (!is(i, "signal") || !lines[i].a)
		return false;
	for (size_t k = i + 1; k < count; k++) {
		if (!is(k, "wake") || lines[k].thread != lines[i].a - 1)
			continue;
		if (apply)
			drop(i);
		return true;
	}
	return false;
}

static bool signal_other(size_t i, bool apply)
{
	if (!is(i, "signal"))
		return false;
	if (apply)
		replace(i, " = ", lines[i].thread + 1);
	return true;
}

static bool broadcast_more(size_t i, bool apply)
{
	if (!is(i, "broadcast"))
		return false;
	if (apply)
		replace(i, " = ", lines[i].a + 1);
	return true;
}

static bool drop_wake(size_t i, bool apply)
{
	if (!is(i, "wake") || next_own(i) == count)
		return false;
	if (apply)
		drop(i);
	return true;
}

static bool drop_post(size_t i, bool apply)
{
	for (size_t k = i + 1; is(i, "sem-post") && k < count; k++) {
		if (is(k, "init") && lines[k].obj == lines[i].obj)
			return false;
		if ((!is(k, "sem-post") && !is(k, "sem-wait")) || lines[k].obj != lines[i].obj)
			continue;
		if (apply)
			drop(i);
		return true;
	}
	return false;
}

static bool change_semaphore(size_t i, bool apply)
{
	/* Some earlier event has the value. */
	for (size_t k = 0; (is(i, "sem-post") || is(i, "sem-wait")) && k < i; k++) {
		if (lines[k].obj != lines[i].obj || strncmp(lines[k].kind, "sem-", 4))
			continue;
		if (apply)
			replace(i, " = ", lines[i].a + 2);
		return true;
	}
	return false;
}

static bool drop_arrival(size_t i, bool apply)
{
	if (!is(i, "barrier-in") || next_own(i) == count)
		return false;
	if (apply)
		drop(i);
	return true;
}

static bool serial_other(size_t i, bool apply)
{
	if (!is(i, "barrier-out"))
		return false;
	if (apply)
		replace(i, " = ", !lines[i].a);
	return true;
}

static bool drop_timeout(size_t i, bool apply)
{
	if (!is(i, "timeout") || next_own(i) == count)
		return false;
	if (apply)
		drop(i);
	return true;
}

/* A signal that nobody sent: only where no other one of its kind is on its way. */
static bool drop_kill(size_t i, bool apply)
{
	if (!is(i, "kill"))
		return false;
	bool is_taken = false;
	for (size_t j = 0; j < count; j++) {
		if (j != i && is(j, "kill") && lines[j].b == lines[i].b)
			return false;
		is_taken |= (is(j, "handler-begin") || is(j, "signal-taken")) &&
			    lines[j].a == lines[i].b;
	}
	if (is_taken && apply)
		drop(i);
	return is_taken;
}

static bool cancelled_unasked(size_t i, bool apply)
{
	if (!is(i, "cancelled"))
		return false;
	for (size_t j = 0; apply && j < i; j++)
		if (is(j, "cancel") && lines[j].a == lines[i].thread)
			drop(j);
	return true;
}

static bool cancelled_twice(size_t i, bool apply)
{
	if (!is(i, "cancelled"))
		return false;
	if (apply)
		insert_before(i, lines[i].text);
	return true;
}

static bool alloc_twice(size_t i, bool apply)
{
	if (!is(i, "alloc"))
		return false;
	if (apply)
		insert_before(i, lines[i].text);
	return true;
}

static bool free_twice(size_t i, bool apply)
{
	if (!is(i, "free"))
		return false;
	if (apply)
		insert_before(i, lines[i].text);
	return true;
}

static bool use_after_free(size_t i, bool apply)
{
	char text[64];
	if (!i || !is(i - 1, "free") || !lines[i - 1].size)
		return false;
	snprintf(text, sizeof(text), "T%u read 1 0x%llx = 0\n", lines[i - 1].thread,
		 (unsigned long long)lines[i - 1].obj);
	if (apply)
		insert_before(i, text);
	return true;
}

static bool clock_falls(size_t i, bool apply)
{
	for (size_t k = i; is(i, "clock") && k-- > 0;) {
		if (!is(k, "clock") || lines[k].thread != lines[i].thread)
			continue;
		if (apply)
			replace(i, " = ", lines[k].a);
		return true;
	}
	return false;
}

static bool drop_process_end(size_t i, bool apply)
{
	if (!is(i, "process-end"))
		return false;
	if (apply)
		drop(i);
	return true;
}

static bool early_process_end(size_t i, bool apply)
{
	if (!is(i + 1, "process-end") || lines[i].thread != lines[i + 1].thread || is(i, "switch"))
		return false;
	if (apply)
		swap(i, i + 1);
	return true;
}

static const struct {
	const char *name;
	bool (*at)(size_t i, bool apply);
} faults[] = {
	{ "drop-acquire", drop_acquire },
	{ "drop-release", drop_release },
	{ "change-depth", change_depth },
	{ "change-read", change_read },
	{ "change-write", change_write },
	{ "change-old-value", change_old_value },
	{ "drop-switch", drop_switch },
	{ "early-switch", early_switch },
	{ "hooks-fall", hooks_fall },
	{ "drop-fork", drop_fork },
	{ "drop-begin", drop_begin },
	{ "drop-end", drop_end },
	{ "early-end", early_end },
	{ "join-twice", join_twice },
	{ "drop-signal", drop_signal },
	{ "signal-other", signal_other },
	{ "broadcast-more", broadcast_more },
	{ "drop-wake", drop_wake },
	{ "drop-post", drop_post },
	{ "change-semaphore", change_semaphore },
	{ "drop-arrival", drop_arrival },
	{ "serial-other", serial_other },
	{ "drop-timeout", drop_timeout },
	{ "drop-kill", drop_kill },
	{ "cancelled-unasked", cancelled_unasked },
	{ "cancelled-twice", cancelled_twice },
	{ "alloc-twice", alloc_twice },
	{ "free-twice", free_twice },
	{ "use-after-free", use_after_free },
	{ "clock-falls", clock_falls },
	{ "drop-process-end", drop_process_end },
	{ "early-process-end", early_process_end },
};
#define FAULTS (sizeof(faults) / sizeof(*faults))

int main(int argc, char **argv)
{
	size_t fault = 0;
	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (size_t i = 0; i < FAULTS; i++)
			puts(faults[i].name);
		return 0;
	}
	while (argc == 3 && fault < FAULTS && strcmp(faults[fault].name, argv[1]))
		fault++;
	if (argc != 3 || fault == FAULTS) {
		fprintf(stderr,
			"usage: mutate_trace FAULT N <TRACE-AS-TEXT, or mutate_trace list\n");
		return 2;
	}
	char *text = NULL;
	size_t space = 0;
	while (getline(&text, &space, stdin) > 0) {
		lines = realloc(lines, (count + 1) * sizeof(*lines));
		lines[count] = (struct line){ .text = text };
		parse(&lines[count++]);
		text = NULL;
		space = 0;
	}
	size_t place = strtoul(argv[2], NULL, 10), i = 0;
	while (i < count && !(faults[fault].at(i, false) && !place--))
		i++;
	if (i == count)
		return 3;
	faults[fault].at(i, true);
	/* Events are no longer as many as the trace says; that must not be what gives the fault
	 * away. */
	for (i = 0; i < count; i++)
		if (strncmp(lines[i].text, "fact events ", 12))
			fputs(lines[i].text, stdout);
	return 0;
}
