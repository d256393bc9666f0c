/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of the family `rare`: what other programs of this generator do not have, because their
 * numbers keep their meaning.  Once controls, robust mutexes whose owner ends, locks of the
 * program's own with annotations, for writing and for reading, and annotated orders.
 *
 * They end under every schedule: a lock is held for a few accesses only, nothing else is waited
 * for while it is held, and a thread that ends with a robust mutex leaves it to the next one.
 */
#ifndef GENERATOR_RARE_H
#define GENERATOR_RARE_H

#include "random.h"

#include <stdio.h>

#define RARE_THREADS_MAX 4

static const char *const rare_prelude =
	"#define _GNU_SOURCE\n"
	"#include <errno.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n"
	"#include <heddle/annotations.h>\n\n"
	"static pthread_once_t controls[2] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };\n"
	"static pthread_mutex_t robust[2];\n"
	"static atomic_int lock, published;\n"
	"static int made[2], counted[2], own, message;\n\n"
	"static void make0(void)\n{\n\tmade[0]++;\n}\n\n"
	"static void make1(void)\n{\n\tmade[1] += 2;\n}\n\n"
	"static int robust_lock(int i)\n{\n"
	"\tint result = pthread_mutex_lock(&robust[i]);\n"
	"\tif (result == EOWNERDEAD)\n\t\tpthread_mutex_consistent(&robust[i]);\n"
	"\treturn ++counted[i];\n}\n\n"
	"static int is_taken(int from, int to)\n{\n"
	"\treturn atomic_compare_exchange_strong(&lock, &from, to);\n}\n\n"
	"static void own_lock(void)\n{\n\theddle_lock_request(&lock);\n"
	"\twhile (!is_taken(0, -1))\n\t\t;\n\theddle_lock_acquired(&lock);\n}\n\n"
	"static void own_unlock(void)\n{\n\theddle_lock_release(&lock);\n"
	"\tatomic_store(&lock, 0);\n}\n\n"
	"static int own_try(void)\n{\n\theddle_lock_request(&lock);\n"
	"\tif (!is_taken(0, -1)) {\n\t\theddle_lock_failed(&lock);\n\t\treturn 0;\n\t}\n"
	"\theddle_lock_acquired(&lock);\n\treturn 1;\n}\n\n"
	"static void own_read_lock(void)\n{\n\tint readers;\n"
	"\theddle_lock_request_shared(&lock);\n"
	"\tdo\n\t\treaders = atomic_load(&lock);\n"
	"\twhile (readers < 0 || !is_taken(readers, readers + 1));\n"
	"\theddle_lock_acquired_shared(&lock);\n}\n\n"
	"static void own_read_unlock(void)\n{\n\theddle_lock_release_shared(&lock);\n"
	"\tatomic_fetch_sub(&lock, 1);\n}\n\n";

static void emit_rare_statement(void)
{
	unsigned i = below(2);
	switch (below(7)) {
	case 0:
		printf("\tpthread_once(&controls[%u], make%u);\n\tacc += made[%u];\n", i, i, i);
		break;
	case 1:
		printf("\tacc += robust_lock(%u);\n\tpthread_mutex_unlock(&robust[%u]);\n", i, i);
		break;
	case 2:
		printf("\town_lock();\n\tacc += own++;\n\town_unlock();\n");
		break;
	case 3:
		printf("\tif (own_try()) {\n\t\tacc += own += %u;\n\t\town_unlock();\n\t}\n",
		       below(5));
		break;
	case 4:
		printf("\town_read_lock();\n\tacc += own;\n\town_read_unlock();\n");
		break;
	case 5:
		printf("\tmessage = %u;\n\theddle_happens_before(&published);\n"
		       "\tatomic_store_explicit(&published, 1, memory_order_relaxed);\n",
		       below(9));
		break;
	case 6:
		printf("\tif (atomic_load_explicit(&published, memory_order_relaxed)) {\n"
		       "\t\theddle_happens_after(&published);\n\t\tacc += message;\n\t}\n");
		break;
	}
}

static void emit_rare_thread(unsigned number)
{
	printf("static void *thread%u(void *argument)\n{\n\tint acc = %u;\n\t(void)argument;\n",
	       number, number);
	for (unsigned n = 3 + below(6); n; n--)
		emit_rare_statement();
	if (chance(50))
		printf("\tacc += robust_lock(%u); /* the end of the thread leaves it */\n",
		       below(2));
	printf("\treturn (void *)(long)(acc & 0xff);\n}\n\n");
}

static void emit_rare_program(void)
{
	unsigned count = 2 + below(RARE_THREADS_MAX - 1);
	printf("%s", rare_prelude);
	for (unsigned t = 0; t < count; t++)
		emit_rare_thread(t);
	printf("int main(void)\n{\n\tint acc = 0;\n\tvoid *result;\n\tpthread_t thread[%u];\n"
	       "\tpthread_mutexattr_t type;\n\tpthread_mutexattr_init(&type);\n"
	       "\tpthread_mutexattr_setrobust(&type, PTHREAD_MUTEX_ROBUST);\n"
	       "\tpthread_mutex_init(&robust[0], &type);\n"
	       "\tpthread_mutex_init(&robust[1], &type);\n\theddle_lock_create(&lock);\n",
	       count);
	for (unsigned t = 0; t < count; t++)
		printf("\tpthread_create(&thread[%u], NULL, thread%u, NULL);\n", t, t);
	for (unsigned n = below(3); n; n--)
		emit_rare_statement();
	for (unsigned t = 0; t < count; t++)
		printf("\tpthread_join(thread[%u], &result);\n\tacc += (int)(long)result;\n", t);
	printf("\theddle_lock_destroy(&lock);\n\tprintf(\"%%d %%d\\n\", acc, own);\n\treturn "
	       "0;\n}\n");
}

#endif
