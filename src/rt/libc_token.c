/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting and duplicating strings.  The splitters are written out here, since what they examine and
 * overwrite depends on every step.  strtok keeps its place in an object that all threads share: ours stands
 * in for libc's.
 */
#include "rt/libc_wrap.h"

static RT_STATE char *strtok_place;

static size_t run(const char *s, const char *set, bool wanted)
{
	size_t i = 0;
	for (; s[i]; i++) {
		const char *c = set;
		while (*c && *c != s[i])
			c++;
		if ((*c != 0) != wanted)
			break;
	}
	return i;
}

/* The token that begins after leading delimiters, NULL if there is none; *place is where to go on. */
static char *next_token(char *s, const char *set, char **place, pc_t pc)
{
	libc_read_string(set, pc);
	char *token = s + run(s, set, true);
	size_t length = run(token, set, false);
	rt_libc_read(s, (size_t)(token - s) + length + 1, pc);
	if (!length) {
		*place = token;
		return NULL;
	}
	char *end = token + length;
	if (*end) {
		libc_will_write(end, 1, pc);
		*end++ = 0;
		rt_libc_wrote(end - 1, 1, pc);
	}
	*place = end;
	return token;
}

RT_EXPORT char *strtok_r(char *restrict s, const char *restrict set, char **restrict place)
{
	if (!libc_enter(PC))
		return REAL_FN(strtok_r)(s, set, place);
	if (!s) {
		rt_libc_read(place, sizeof(*place), PC);
		s = *place;
	}
	char *token = s ? next_token(s, set, place, PC) : NULL;
	rt_libc_wrote(place, sizeof(*place), PC);
	return token;
}

extern __typeof__(strtok_r) __strtok_r LIBC_ALIAS(strtok_r);

RT_EXPORT char *strtok(char *restrict s, const char *restrict set)
{
	if (!libc_enter(PC))
		return REAL_FN(strtok)(s, set);
	libc_hidden(HIDDEN_STRTOK, true, PC);
	if (!s)
		s = strtok_place;
	return s ? next_token(s, set, &strtok_place, PC) : NULL;
}

RT_EXPORT char *strsep(char **restrict place, const char *restrict set)
{
	if (!libc_enter(PC))
		return REAL_FN(strsep)(place, set);
	rt_libc_read(place, sizeof(*place), PC);
	char *s = *place;
	if (!s)
		return NULL;
	libc_read_string(set, PC);
	size_t length = run(s, set, false);
	rt_libc_read(s, length + 1, PC);
	libc_will_write(place, sizeof(*place), PC);
	if (s[length]) {
		libc_will_write(s + length, 1, PC);
		s[length] = 0;
		rt_libc_wrote(s + length, 1, PC);
		*place = s + length + 1;
	} else {
		*place = NULL;
	}
	rt_libc_wrote(place, sizeof(*place), PC);
	return s;
}

RT_EXPORT char *strdup(const char *s)
{
	if (!libc_enter(PC))
		return REAL_FN(strdup)(s);
	libc_read_string(s, PC);
	char *copy = LIBC_CALL(REAL_FN(strdup)(s));
	if (copy)
		libc_wrote_string(copy, PC);
	return copy;
}

extern __typeof__(strdup) __strdup LIBC_ALIAS(strdup);

RT_EXPORT char *strndup(const char *s, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strndup)(s, n);
	size_t length = 0;
	while (length < n && s[length])
		length++;
	rt_libc_read(s, length < n ? length + 1 : n, PC);
	char *copy = LIBC_CALL(REAL_FN(strndup)(s, n));
	if (copy)
		rt_libc_wrote(copy, length + 1, PC);
	return copy;
}

extern __typeof__(strndup) __strndup LIBC_ALIAS(strndup);

RT_EXPORT int fnmatch(const char *pattern, const char *s, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(fnmatch)(pattern, s, flags);
	libc_read_string(pattern, PC);
	libc_read_string(s, PC);
	return LIBC_CALL(REAL_FN(fnmatch)(pattern, s, flags));
}

/* The last part of a path, in place. */
RT_EXPORT char *__xpg_basename(char *path)
{
	if (!libc_enter(PC) || !path)
		return REAL_FN(__xpg_basename)(path);
	size_t n = rt_strlen(path) + 1;
	rt_libc_read(path, n, PC);
	char *last = REAL_FN(__xpg_basename)(path);
	libc_wrote_if_changed(path, n, PC);
	return last;
}

RT_EXPORT char *dirname(char *path)
{
	if (!libc_enter(PC) || !path)
		return REAL_FN(dirname)(path);
	size_t n = rt_strlen(path) + 1;
	rt_libc_read(path, n, PC);
	char *directory = REAL_FN(dirname)(path);
	libc_wrote_if_changed(path, n, PC);
	return directory;
}

RT_EXPORT char *basename(const char *path)
{
	if (!libc_enter(PC))
		return REAL_FN(basename)(path);
	libc_read_string(path, PC);
	return REAL_FN(basename)(path);
}
