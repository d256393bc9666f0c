/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment: one object.  Its array and strings are memory that the program may also look
 * at directly, so what libc changes in them is reported.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

extern char **environ;

static bool is_entry_of(const char *entry, const char *name, size_t length)
{
	while (length && *entry == *name) {
		entry++;
		name++;
		length--;
	}
	return !length && *entry == '=';
}

static char *find(const char *name, size_t length)
{
	for (char **e = environ; e && *e; e++)
		if (is_entry_of(*e, name, length))
			return *e;
	return NULL;
}

/* libc moved the array, or changed an entry of it, or closed the gap that one left. */
static void array_changed(char *const *before, const char *name, size_t length, pc_t pc)
{
	size_t n = 0;
	while (environ && environ[n])
		n++;
	if (environ != before)
		rt_libc_wrote(&environ, sizeof(environ), pc);
	if (environ)
		libc_wrote_if_changed(environ, (n + 1) * sizeof(*environ), pc);
	char *entry = find(name, length);
	if (entry)
		libc_wrote_if_changed(entry, rt_strlen(entry) + 1, pc);
}

RT_EXPORT char *getenv(const char *name)
{
	if (!libc_enter(PC))
		return REAL_FN(getenv)(name);
	libc_read_string(name, PC);
	libc_hidden(HIDDEN_ENVIRON, false, PC);
	return REAL_FN(getenv)(name);
}

RT_EXPORT char *secure_getenv(const char *name)
{
	if (!libc_enter(PC))
		return REAL_FN(secure_getenv)(name);
	libc_read_string(name, PC);
	libc_hidden(HIDDEN_ENVIRON, false, PC);
	return REAL_FN(secure_getenv)(name);
}

RT_EXPORT int setenv(const char *name, const char *value, int replace)
{
	if (!libc_enter(PC))
		return REAL_FN(setenv)(name, value, replace);
	libc_read_string(name, PC);
	libc_read_string(value, PC);
	libc_hidden(HIDDEN_ENVIRON, true, PC);
	char **before = environ;
	int rc = LIBC_CALL(REAL_FN(setenv)(name, value, replace));
	if (!rc)
		array_changed(before, name, rt_strlen(name), PC);
	return rc;
}

RT_EXPORT int unsetenv(const char *name)
{
	if (!libc_enter(PC))
		return REAL_FN(unsetenv)(name);
	libc_read_string(name, PC);
	libc_hidden(HIDDEN_ENVIRON, true, PC);
	char **before = environ;
	int rc = LIBC_CALL(REAL_FN(unsetenv)(name));
	if (!rc)
		array_changed(before, name, rt_strlen(name), PC);
	return rc;
}

RT_EXPORT int putenv(char *entry)
{
	if (!libc_enter(PC))
		return REAL_FN(putenv)(entry);
	libc_read_string(entry, PC);
	libc_hidden(HIDDEN_ENVIRON, true, PC);
	char **before = environ;
	size_t length = 0;
	while (entry[length] && entry[length] != '=')
		length++;
	int rc = LIBC_CALL(REAL_FN(putenv)(entry));
	if (!rc)
		array_changed(before, entry, length, PC);
	return rc;
}

RT_EXPORT int clearenv(void)
{
	if (!libc_enter(PC))
		return REAL_FN(clearenv)();
	libc_hidden(HIDDEN_ENVIRON, true, PC);
	int rc = LIBC_CALL(REAL_FN(clearenv)());
	rt_libc_wrote(&environ, sizeof(environ), PC);
	return rc;
}
