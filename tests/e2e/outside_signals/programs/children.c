/* SPDX-License-Identifier: Apache-2.0 */
/* SIGCHLD: the handler says by a pipe which child has ended. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void on_child(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	char is_exit = info->si_code == CLD_EXITED;
	if (write(ends[1], &is_exit, 1) != 1)
		_exit(3);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t set, before;
	if (pipe(ends))
		return 1;
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	for (int i = 0; i < 3; i++) {
		char exits;
		int status;
		pid_t pid = fork();
		if (!pid) {
			/* the child has the mask and the handlers of the program */
			struct sigaction own;
			sigset_t blocked;
			sigprocmask(SIG_SETMASK, NULL, &blocked);
			sigaction(SIGCHLD, NULL, &own);
			_exit(sigismember(&blocked, SIGTERM) && own.sa_sigaction == on_child ? i : 9);
		}
		if (read(ends[0], &exits, 1) != 1 || waitpid(pid, &status, 0) != pid)
			return 2;
		printf("%d: %s with %d\n", i, exits ? "exit" : "killed", WEXITSTATUS(status));
	}
	return 0;
}
