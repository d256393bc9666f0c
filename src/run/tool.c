/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See tool.h.  Everything is done by system calls: the start happens before main, and a message may
 * be sent at any moment.
 */
#include "run/tool.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "run/memory.h"
#include "wire/run.h"

#define INTERRUPTED (-4) /* EINTR */
#define PATH_ROOM 4096

extern char **environ;
/* Where the tool was that linked the program (src/cc/link.c). */
extern const char heddle_tool_path[] __attribute__((weak, visibility("default")));

static struct sockaddr_un address;
static unsigned address_len; /* 0: the process is not watched */

const char *tool_setting(const char *name)
{
	for (char **e = environ; e && *e; e++) {
		unsigned i = 0;
		while (name[i] && (*e)[i] == name[i])
			i++;
		if (!name[i])
			return *e + i;
	}
	return NULL;
}

/* ---- messages ---- */

static long open_socket(void)
{
	return run_syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0, 0);
}

bool tool_set(uint32_t process, uint32_t key)
{
	char *at = address.sun_path + 1; /* the first byte is 0: no name of a file */
	address.sun_family = AF_UNIX;
	at = run_put_number(run_put_text(at, RUN_SOCKET), process);
	at = run_put_number(run_put_text(at, "-"), key);
	address_len = (unsigned)(at - (char *)&address);
	long fd = open_socket();
	if (run_syscall(SYS_connect, fd, (long)&address, (long)address_len, 0, 0, 0))
		address_len = 0;
	run_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return address_len;
}

bool tool_is_set(void)
{
	return address_len;
}

void tool_send(const char *text, size_t len)
{
	long fd = open_socket(), rc;
	if (fd < 0)
		return;
	do /* this may wait for the receiver */
		rc = run_syscall(SYS_sendto, fd, (long)text, (long)len, MSG_NOSIGNAL,
				 (long)&address, (long)address_len);
	while (rc == INTERRUPTED);
	run_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* ---- the start of the tool ---- */

static void complain(const char *why)
{
	char text[PATH_ROOM + 256];
	char *end = run_put_text(text, "heddle: HEDDLE_OPTIONS is set, but ");
	end = run_put_text(run_put_text(end, why), "; the program is not watched\n");
	run_syscall(SYS_write, 2, (long)text, end - text, 0, 0, 0);
}

/* Its arguments, one after the other, each ended by 0; NULL: not known. */
static char *read_arguments(size_t *len)
{
	long fd = run_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/cmdline",
			      O_RDONLY | O_CLOEXEC, 0, 0, 0);
	char *text = NULL;
	long n = 0;
	/* Read again with more room, until some of it is left. */
	for (size_t room = 64 << 10; fd >= 0 && room < 1ul << 30; room *= 4) {
		text = run_map(room);
		n = text ? run_syscall(SYS_pread64, fd, (long)text, (long)room - 1, 0, 0, 0) : -1;
		if (n < (long)room - 1)
			break;
	}
	run_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	*len = n > 0 ? (size_t)n : 0;
	return n > 0 ? text : NULL;
}

static size_t count_environment(void)
{
	size_t n = 0;
	while (environ[n])
		n++;
	return n;
}

/* "heddle run -- " and the arguments of this process. */
static char **make_arguments(void)
{
	size_t len, n = 0;
	char *text = read_arguments(&len);
	for (size_t i = 0; text && i < len; i++)
		n += !text[i];
	char **argv = n ? run_map((n + 4) * sizeof(*argv)) : NULL;
	if (!argv)
		return NULL;
	argv[0] = (char *)"heddle";
	argv[1] = (char *)"run";
	argv[2] = (char *)"--";
	for (size_t i = 0, at = 3; i < len; i++)
		if (!i || !text[i - 1])
			argv[at++] = text + i;
	return argv;
}

/* The environment, and the path of the program in RUN_STARTER. */
static char **make_environment(char *starter)
{
	size_t n = count_environment();
	char **all = run_map((n + 2) * sizeof(*all));
	char *path = run_put_text(starter, RUN_STARTER "=");
	long got = run_syscall(SYS_readlink, (long)"/proc/self/exe", (long)path, PATH_ROOM - 1, 0,
			       0, 0);
	if (!all || got <= 0)
		return NULL;
	path[got] = 0;
	run_copy(all, environ, n * sizeof(*all));
	all[n] = starter;
	return all;
}

static void try_directories(char **argv, char **all)
{
	char path[PATH_ROOM];
	const char *at = tool_setting("PATH=");
	while (at && *at) {
		unsigned n = 0;
		for (; *at && *at != ':'; at++)
			if (n < sizeof(path) - sizeof("/heddle"))
				path[n++] = *at;
		path[n] = 0;
		run_put_text(path + n, "/heddle");
		run_syscall(SYS_execve, (long)path, (long)argv, (long)all, 0, 0, 0);
		at += *at == ':';
	}
}

void tool_start(void)
{
	const char *options = tool_setting("HEDDLE_OPTIONS=");
	if (!options || !*options || getauxval(AT_SECURE))
		return;
	char starter[PATH_ROOM + sizeof(RUN_STARTER "=")];
	char **argv = make_arguments(), **all = argv ? make_environment(starter) : NULL;
	if (!all) {
		complain("/proc is not there");
		return;
	}
	if (heddle_tool_path)
		run_syscall(SYS_execve, (long)heddle_tool_path, (long)argv, (long)all, 0, 0, 0);
	try_directories(argv, all);
	complain("'heddle' is not in PATH");
}
