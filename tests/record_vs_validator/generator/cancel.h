/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are cancelled.  A victim does nothing that others wait for, and most of them wait
 * for something that never comes, so that only the cancellation ends them.  Whatever a victim
 * holds when it is cancelled is given back by its cleanup handlers; which of them have run, and
 * that it ended as cancelled, is checked by the thread that joins it.
 */
#ifndef GENERATOR_CANCEL_H
#define GENERATOR_CANCEL_H

#include "statements.h"

#define VICTIMS_MAX 3

static const char cancel_prelude[] =
	"static pthread_t victim[3];\nstatic int cleaned[3];\n"
	"static pthread_mutex_t victim_lock = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_cond_t victim_never = PTHREAD_COND_INITIALIZER;\nstatic sem_t "
	"victim_tokens;\n\n"
	"static void count(void *number)\n{\n\tcleaned[(uintptr_t)number]++;\n}\n\n"
	"static void unlock(void *mutex)\n{\n\tpthread_mutex_unlock(mutex);\n}\n\n"
	"static void *sleeper(void *unused)\n{\n\tfor (;;)\n\t\tusleep(5);\n\treturn unused;\n}\n\n"
	"static void end_child(void *child)\n{\n\tvoid *result;\n\tpthread_cancel(*(pthread_t "
	"*)child);\n"
	"\tpthread_join(*(pthread_t *)child, &result);\n\tif (result != "
	"PTHREAD_CANCELED)\n\t\tabort();\n}\n\n";

/* How a victim waits for its end; the last one may come to its own end first. */
static const char *const victim_waits[] = {
	"pthread_mutex_lock(&victim_lock);\n\tpthread_cleanup_push(unlock, &victim_lock);\n\tfor "
	"(;;)\n"
	"\t\tpthread_cond_wait(&victim_never, &victim_lock);\n\tpthread_cleanup_pop(1);",
	"pthread_mutex_lock(&victim_lock);\n\tpthread_cleanup_push(unlock, &victim_lock);\n\tfor "
	"(;;)\n"
	"\t\tpthread_cond_timedwait(&victim_never, &victim_lock, soon(CLOCK_REALTIME, $n));\n"
	"\tpthread_cleanup_pop(1);",
	"while (sem_wait(&victim_tokens))\n\t\tacc++;",
	"for (;;)\n\t\tsem_timedwait(&victim_tokens, soon(CLOCK_REALTIME, $n));",
	"for (;;)\n\t\tusleep($n);",
	"for (;;)\n\t\tnanosleep(&(struct timespec){ 0, $n }, NULL);",
	"{\n\t\tpthread_t child;\n\t\tpthread_create(&child, NULL, sleeper, NULL);\n"
	"\t\tpthread_cleanup_push(end_child, &child);\n\t\tpthread_join(child, NULL);\n"
	"\t\tpthread_cleanup_pop(0);\n\t}",
	"for (;;) {\n\t\tb4[$n] += $v;\n\t\tsched_yield();\n\t\tpthread_testcancel();\n\t}",
	"pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);\n\tfor (int i = 0; i < 40; "
	"i++)\n"
	"\t\tb8[$n] += $v;\n\tpthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);\n\tfor (;;)\n"
	"\t\tusleep($n);",
	"{\n\t\tsigset_t set;\n\t\tint got;\n\t\tsigemptyset(&set);\n\t\tsigaddset(&set, SIGRTMIN "
	"+ 1);\n"
	"\t\tsigwait(&set, &got);\n\t}",
	"usleep($n);",
};

static struct victim_plan {
	unsigned parent, wait;
} victims[VICTIMS_MAX];
static unsigned victim_count;

static bool may_finish(const struct victim_plan *v)
{
	return v->wait == COUNT(victim_waits) - 1;
}

static void emit_plain(unsigned n)
{
	while (n--) {
		putchar('\t');
		expand(PICK(plain), 0);
		putchar('\n');
	}
}

static void emit_victim(unsigned number)
{
	printf("static void *victim%u(void *unused)\n{\n\tu8 acc = %u;\n\tstruct box *box = "
	       "&global_box;\n"
	       "\tpthread_cleanup_push(count, (void *)%u);\n",
	       number, number, number);
	if (chance(30)) {
		printf("\tpthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);\n\tusleep(%u);\n",
		       below(5));
		emit_plain(1 + below(2));
		printf("\tpthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);\n");
	}
	emit_plain(below(3));
	putchar('\t');
	expand(victim_waits[victims[number].wait], 0);
	printf("\n\tpthread_cleanup_pop(1);\n\t(void)acc, (void)box;\n\treturn unused;\n}\n\n");
}

static void emit_victims_begin(unsigned parent)
{
	for (unsigned v = 0; v < victim_count; v++) {
		if (victims[v].parent != parent)
			continue;
		printf("\tpthread_create(&victim[%u], NULL, victim%u, NULL);\n", v, v);
		if (chance(30))
			printf("\tpthread_cancel(victim[%u]);\n", v);
	}
}

static void emit_victims_end(unsigned parent, bool joins)
{
	for (unsigned v = 0; v < victim_count; v++) {
		if (victims[v].parent != parent)
			continue;
		printf("\tpthread_cancel(victim[%u]);\n", v);
		if (!joins) {
			printf("\tpthread_detach(victim[%u]);\n", v);
			continue;
		}
		printf("\t{\n\t\tvoid *result;\n\t\tpthread_join(victim[%u], &result);\n"
		       "\t\tif (%scleaned[%u] != 1)\n\t\t\tabort();\n\t}\n",
		       v, may_finish(&victims[v]) ? "" : "result != PTHREAD_CANCELED || ", v);
	}
}

#endif
