/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs, started in each way; their output goes to a file or comes by a pipe. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *other_work(void *unused)
{
	pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&one);
		pthread_mutex_unlock(&one);
	}
	return unused;
}

static void spawned(void)
{
	char *const fail[] = { "sh", "-c", "exit 5", NULL }, *const echo[] = { "echo", "from the pipe", NULL };
	posix_spawn_file_actions_t actions;
	char text[64];
	pid_t pid;
	int status, ends[2];
	assert(!posix_spawn(&pid, "/bin/sh", NULL, NULL, fail, environ) && waitpid(pid, &status, 0) == pid);
	assert(WEXITSTATUS(status) == 5);
	assert(posix_spawn(&pid, "/there/is/no/such", NULL, NULL, fail, environ) == ENOENT);
	assert(!pipe2(ends, O_CLOEXEC) && !posix_spawn_file_actions_init(&actions));
	assert(!posix_spawn_file_actions_adddup2(&actions, ends[1], 1));
	assert(!posix_spawnp(&pid, "echo", &actions, NULL, echo, environ) && !close(ends[1]));
	ssize_t n = read(ends[0], text, sizeof(text));
	assert(n == 14 && !memcmp(text, "from the pipe\n", 14) && waitpid(pid, &status, 0) == pid && !status);
	posix_spawn_file_actions_destroy(&actions);
}

int main(void)
{
	pthread_t t;
	char line[64];
	pthread_create(&t, NULL, other_work, NULL);
	assert(system(NULL) && WEXITSTATUS(system("exit 3")) == 3);
	assert(!system("test -z \"$HEDDLE_SESSION\" && echo made by the command >made"));
	FILE *made = popen("cat made; rm made", "r");
	assert(made && fgets(line, sizeof(line), made) && !pclose(made));
	printf("%s", line);
	FILE *sink = popen("read a; test \"$a\" = line; exit $?", "w");
	assert(sink && fputs("line\n", sink) >= 0 && !pclose(sink));
	assert(!popen("true", "x") && errno == EINVAL);
	spawned();
	assert(WTERMSIG(system("kill -TERM $$; exit 1")) == SIGTERM);
	pthread_join(t, NULL);
	puts("commands work");
	return 0;
}
