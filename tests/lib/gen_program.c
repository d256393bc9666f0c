/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_program SEED [deadlock | rare]: prints a random multi-threaded C program, the same one for
 * the same seed.
 *
 * The programs race on purpose, but are well defined otherwise and end under every schedule:
 *  - every index is masked, every pointer points to one of a few objects that live as long as its
 *    users;
 *  - a heap block has one owner, and changes hands through slots under a lock;
 *  - every loop is bounded;
 *  - locks (mutexes, then rwlocks, then spin locks) are taken in ascending order, and nothing
 *    blocks while
 *    one is held, except what does not wait for ever: tries and timed forms;
 *  - a thread first creates its children, then plays its part in the queue, then meets others at
 *    barriers, then sets and awaits flags (variables with a condition, or semaphores), both in
 *    ascending order of their number, then joins.  By induction over that order every arrival and
 *    every set is reached, so every wait ends;
 *  - signals interrupt, and threads that are cancelled hold up, nobody (signals.h, cancel.h).
 * With `deadlock` locks are taken in any order, so that a run may end in a deadlock (and in
 * nothing worse).  With `rare` it is a program of another family (rare.h).
 *
 * What threads do is a table of statements with holes (statements.h).
 */
#include "../record_vs_validator/generator/cancel.h"
#include "../record_vs_validator/generator/locks.h"
#include "../record_vs_validator/generator/rare.h"
#include "../record_vs_validator/generator/signals.h"

#define THREADS_MAX 6
#define FLAGS_MAX 6
#define BARRIERS_MAX 2

enum fate {
	FATE_JOINED,
	FATE_DETACHED_BY_PARENT,
	FATE_DETACHED_BY_SELF,
	FATE_DETACHED_BY_ATTRIBUTE
};

static struct thread_plan {
	unsigned parent;
	enum fate fate;
	bool has_stack_box; /* its argument is a variable on its parent's stack */
	bool awaits_signal; /* that its parent sends it */
} threads[THREADS_MAX];
static unsigned thread_count;

static struct flag_plan {
	unsigned setter;
	unsigned waiters; /* bit set */
	bool is_semaphore;
} flags[FLAGS_MAX];
static unsigned flag_count;

static unsigned barriers[BARRIERS_MAX]; /* bit sets of threads */
static unsigned barrier_count;

static unsigned producer, consumer, queue_items; /* 0 items: no queue */
static bool main_joins;

static void make_plan(void)
{
	thread_count = 2 + below(THREADS_MAX - 1);
	main_joins = chance(70);
	for (unsigned t = 1; t < thread_count; t++) {
		threads[t].parent = chance(60) ? 0 : below(t);
		bool may_join = threads[t].parent || main_joins;
		threads[t].fate = may_join && chance(80) ? FATE_JOINED : 1 + below(3);
		threads[t].has_stack_box = threads[t].fate == FATE_JOINED && chance(50);
		threads[t].awaits_signal = chance(25);
	}
	flag_count = below(FLAGS_MAX + 1);
	for (unsigned f = 0; f < flag_count; f++) {
		flags[f].setter = below(thread_count);
		flags[f].waiters = below(1u << thread_count) & ~(1u << flags[f].setter);
		flags[f].is_semaphore = chance(40);
	}
	barrier_count = chance(50) ? 1 + below(BARRIERS_MAX) : 0;
	for (unsigned b = 0; b < barrier_count; b++)
		barriers[b] = 1 + below((1u << thread_count) - 1);
	producer = below(thread_count);
	consumer = (producer + 1 + below(thread_count - 1)) % thread_count;
	queue_items = chance(40) ? 1 + below(5) : 0;
	victim_count = chance(50) ? 1 + below(VICTIMS_MAX) : 0;
	for (unsigned v = 0; v < victim_count; v++)
		victims[v] =
			(struct victim_plan){ below(thread_count), below(COUNT(victim_waits)) };
}

static void emit_shared_state(void)
{
	for (unsigned i = 0; i < COUNT(struct_sizes); i++) {
		unsigned s = struct_sizes[i];
		printf("struct s%u { u4 a[%u]; };\nstatic struct s%u x%u, y%u, *h%u, *p%u = "
		       "&x%u;\n",
		       s, s / 4, s, s, s, s, s, s);
	}
	printf("\nstatic pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int "
	       "flag[%d];\n"
	       "static pthread_cond_t flag_set[%d];\nstatic sem_t flag_tokens[%d];\n"
	       "static pthread_barrier_t barrier[%d];\n",
	       FLAGS_MAX, FLAGS_MAX, FLAGS_MAX, BARRIERS_MAX);
	printf("static pthread_mutex_t queue_lock;\n"
	       "static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, "
	       "not_empty = PTHREAD_COND_INITIALIZER;\nstatic u8 queue[2];\n"
	       "static unsigned queue_length;\n\n");
}

static void emit_queue(unsigned t)
{
	if (!queue_items || (t != producer && t != consumer))
		return;
	bool produces = t == producer;
	printf("\tfor (int i = 0; i < %u; i++) {\n\t\tpthread_mutex_lock(&queue_lock);\n",
	       queue_items);
	printf("\t\twhile (queue_length == %u)\n\t\t\tpthread_cond_wait(&not_%s, &queue_lock);\n",
	       produces ? 1 + below(2) : 0, produces ? "full" : "empty");
	printf("%s", produces ? "\t\tqueue[queue_length++ & 1] = acc + i;\n"
			      : "\t\tacc += queue[--queue_length & 1];\n");
	printf("\t\tpthread_cond_signal(&not_%s);\n\t\tpthread_mutex_unlock(&queue_lock);\n\t}\n",
	       produces ? "empty" : "full");
}

static void emit_barriers(unsigned t)
{
	for (unsigned b = 0; b < barrier_count; b++) {
		if (!(barriers[b] >> t & 1))
			continue;
		for (unsigned rounds = 1 + b % 2; rounds; rounds--)
			printf("\tacc += pthread_barrier_wait(&barrier[%u]) == "
			       "PTHREAD_BARRIER_SERIAL_THREAD;\n",
			       b);
	}
}

static void emit_set(unsigned f)
{
	unsigned waiters = flags[f].waiters;
	if (flags[f].is_semaphore) {
		for (; waiters; waiters &= waiters - 1)
			printf("\tsem_post(&flag_tokens[%u]);\n", f);
		return;
	}
	/* One signal is enough only if one thread waits. */
	bool one = !(waiters & (waiters - 1));
	printf("\tpthread_mutex_lock(&flag_lock);\n\tflag[%u] = "
	       "1;\n\tpthread_cond_%s(&flag_set[%u]);\n"
	       "\tpthread_mutex_unlock(&flag_lock);\n",
	       f, one && chance(60) ? "signal" : "broadcast", f);
}

static void emit_await(unsigned f)
{
	bool timed = chance(30);
	if (flags[f].is_semaphore && timed)
		printf("\twhile (sem_timedwait(&flag_tokens[%u], soon(CLOCK_REALTIME, "
		       "%u)))\n\t\tacc++;\n",
		       f, below(50));
	else if (flags[f].is_semaphore)
		printf("\twhile (sem_wait(&flag_tokens[%u]))\n\t\tacc++;\n", f);
	else if (timed)
		printf("\tpthread_mutex_lock(&flag_lock);\n\twhile (!flag[%u])\n"
		       "\t\tacc += pthread_cond_timedwait(&flag_set[%u], &flag_lock, "
		       "soon(CLOCK_REALTIME, %u)) == ETIMEDOUT;\n"
		       "\tpthread_mutex_unlock(&flag_lock);\n",
		       f, f, below(50));
	else
		printf("\tpthread_mutex_lock(&flag_lock);\n\twhile (!flag[%u])\n"
		       "\t\tpthread_cond_wait(&flag_set[%u], "
		       "&flag_lock);\n\tpthread_mutex_unlock(&flag_lock);\n",
		       f, f);
}

static void emit_flags(unsigned t)
{
	for (unsigned f = 0; f < flag_count; f++) {
		if (flags[f].setter == t)
			emit_set(f);
		else if (flags[f].waiters >> t & 1)
			emit_await(f);
		if (chance(30))
			emit_statements(1, 0, 0);
	}
}

static void emit_children(unsigned parent)
{
	for (unsigned t = 1; t < thread_count; t++) {
		if (threads[t].parent != parent)
			continue;
		bool by_attribute = threads[t].fate == FATE_DETACHED_BY_ATTRIBUTE;
		if (by_attribute)
			printf("\tpthread_attr_t attr%u;\n\tpthread_attr_init(&attr%u);\n"
			       "\tpthread_attr_setdetachstate(&attr%u, PTHREAD_CREATE_DETACHED);\n",
			       t, t, t);
		if (threads[t].has_stack_box)
			printf("\tstruct box box%u = { %u, acc };\n\tbox = &box%u;\n", t, t, t);
		printf("\tpthread_create(&handles[%u], ", t);
		printf(by_attribute ? "&attr%u" : "NULL", t);
		printf(", thread%u, ", t);
		printf(threads[t].has_stack_box ? "&box%u);\n" : "&global_box);\n", t);
		if (by_attribute)
			printf("\tpthread_attr_destroy(&attr%u);\n", t);
		if (threads[t].fate == FATE_DETACHED_BY_PARENT)
			printf("\tpthread_detach(handles[%u]);\n", t);
		emit_signals_to_child(t, threads[t].awaits_signal, threads[t].fate == FATE_JOINED);
		emit_statements(below(3), 0, 0);
	}
	emit_victims_begin(parent);
}

static void emit_joins(unsigned parent)
{
	for (unsigned t = 1; t < thread_count; t++) {
		if (threads[t].parent != parent || threads[t].fate != FATE_JOINED)
			continue;
		printf("\t{\n\t\tvoid *result;\n\t\tpthread_join(handles[%u], &result);\n"
		       "\t\tacc += (u8)(uintptr_t)result;\n\t}\n",
		       t);
		emit_statements(below(2), 0, 0);
	}
}

static void emit_body(unsigned t)
{
	printf("\tself_of[%u] = pthread_self();\n", t);
	emit_statements(1 + below(3), 0, 0);
	emit_children(t);
	emit_queue(t);
	if (t && threads[t].awaits_signal)
		emit_await_signal();
	emit_barriers(t);
	if (t && threads[t].fate == FATE_JOINED)
		emit_signal_to_parent(threads[t].parent);
	emit_statements(1 + below(6), 0, 0);
	emit_flags(t);
	emit_statements(below(3), 0, 0);
	emit_joins(t);
	emit_victims_end(t, t || main_joins);
	if (chance(60))
		printf("\tprintf(\"T%u %%llx\\n\", (unsigned long long)acc);\n", t);
}

static void emit_thread(unsigned t)
{
	printf("static void *thread%u(void *argument)\n{\n\tu8 acc = %u;\n"
	       "\tstruct box *box = argument;\n",
	       t, t);
	if (threads[t].fate == FATE_DETACHED_BY_SELF)
		printf("\tpthread_detach(pthread_self());\n");
	emit_body(t);
	if (chance(30))
		printf("\tpthread_exit((void *)(uintptr_t)(acc & 0xff));\n}\n\n");
	else
		printf("\treturn (void *)(uintptr_t)(acc & 0xff);\n}\n\n");
}

static void emit_main(void)
{
	printf("int main(void)\n{\n\tu8 acc = 0;\n\tstruct box *box = &global_box;\n"
	       "\tpthread_mutexattr_t type;\n\tpthread_rwlockattr_t kind;\n"
	       "\tpthread_mutexattr_init(&type);\n\tpthread_rwlockattr_init(&kind);\n\tsem_init(&"
	       "tokens, 0, %u);\n"
	       "\tsem_init(&victim_tokens, 0, 0);\n",
	       below(3));
	emit_lock_setup();
	emit_signal_setup();
	for (unsigned f = 0; f < flag_count; f++)
		if (flags[f].is_semaphore)
			printf("\tsem_init(&flag_tokens[%u], 0, 0);\n", f);
	for (unsigned b = 0; b < barrier_count; b++)
		printf("\tpthread_barrier_init(&barrier[%u], NULL, %d);\n", b,
		       __builtin_popcount(barriers[b]));
	for (unsigned i = 0; i < COUNT(struct_sizes); i++)
		printf("\th%u = calloc(1, sizeof(*h%u));\n", struct_sizes[i], struct_sizes[i]);
	emit_body(0);
	switch (below(5)) {
	case 0:
		printf("\tpthread_exit(NULL);\n}\n");
		break;
	case 1:
		printf("\texit(%u);\n}\n", below(100));
		break;
	case 2:
		printf("\tfflush(stdout);\n\t_exit(%u);\n}\n", below(100));
		break;
	default:
		printf("\treturn %u;\n}\n", below(100));
		break;
	}
}

int main(int argc, char **argv)
{
	bool is_rare = argc == 3 && !strcmp(argv[2], "rare");
	may_deadlock = argc == 3 && !strcmp(argv[2], "deadlock");
	if (argc < 2 || argc > 3 || (argc == 3 && !is_rare && !may_deadlock)) {
		fprintf(stderr, "usage: gen_program SEED [deadlock | rare]\n");
		return 2;
	}
	random_state = strtoull(argv[1], NULL, 0) * 2;
	if (is_rare) {
		printf("/* gen_program %s rare */\n", argv[1]);
		emit_rare_program();
		return ferror(stdout) || fflush(stdout);
	}
	make_plan();
	printf("/* gen_program %s%s */\n%s", argv[1], may_deadlock ? " deadlock" : "", prelude);
	emit_shared_state();
	emit_lock_table();
	emit_handlers();
	printf("%s", cancel_prelude);
	for (unsigned v = 0; v < victim_count; v++)
		emit_victim(v);
	for (unsigned t = thread_count - 1; t; t--)
		emit_thread(t);
	emit_main();
	return ferror(stdout) || fflush(stdout);
}
