/* SPDX-License-Identifier: Apache-2.0 */
/* Choices, assumptions and the functions of SV-COMP; -DTEST chooses what the program does. */
#include <heddle/explore.h>
#include <pthread.h>
#include <stdio.h>

#define CHOOSE 1	/* prints one of 0, 1, 2 */
#define ASSUME 2	/* the same without 1 */
#define BOOL 3
#define NONDET 4
#define ATOMIC 5	/* two threads count in atomic sections */
#define RACY 6		/* and without */
#define REACH 7		/* an error that can be reached with one value only */
#define WAIT 8		/* an atomic section that has to wait */
#define MANY 9		/* two threads make many choices each, while they hold a lock; main reads the answers */
#define UNTIL 10	/* a loop that only a choice ends */
#define ROUNDS 11	/* one that another thread can see a round of, and has a say in */
#define COUNTS 13	/* one that counts its rounds in memory */
#define NEVER 12	/* one that nothing ends, beside a thread that fails */

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#if TEST == MANY
static int values[20];
static void *choose_all(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 20; i++)
		values[i] = __VERIFIER_nondet_int();
	pthread_mutex_unlock(&lock);
	return arg;
}
#endif

static void *go_round(void *arg)
{
	while (heddle_choose(2))
		;
	return arg;
}

static void *set(void *arg)
{
	count = 1;
	return arg;
}

static void *fail(void *arg)
{
	if (count)
		reach_error();
	return arg;
}

static void *add(void *arg)
{
#if TEST == ATOMIC
	__VERIFIER_atomic_begin();
#elif TEST == WAIT
	pthread_mutex_lock(&lock);
	__VERIFIER_atomic_begin();
#endif
	int seen = count;
	count = seen + 1;
#if TEST == ATOMIC
	__VERIFIER_atomic_end();
#elif TEST == WAIT
	__VERIFIER_atomic_end();
	pthread_mutex_unlock(&lock);
	__VERIFIER_atomic_begin();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__VERIFIER_atomic_end();
#endif
	return arg;
}

int main(void)
{
#if TEST == CHOOSE
	printf("%u\n", heddle_choose(3));
#elif TEST == ASSUME
	unsigned n = heddle_choose(3);
	heddle_assume(n != 1);
	printf("%u\n", n);
#elif TEST == BOOL
	printf("%d\n", __VERIFIER_nondet_bool());
#elif TEST == NONDET
	int n = __VERIFIER_nondet_int();
	__VERIFIER_assume(n >= 0 && n < 2);
	printf("%d\n", n);
#elif TEST == REACH
	if (__VERIFIER_nondet_int() == 2)
		reach_error();
	printf("fine\n");
#elif TEST == MANY
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, choose_all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 20; i++)
		count += values[i];
	printf("done\n");
#elif TEST == UNTIL
	pthread_t t;
	unsigned n;
	pthread_create(&t, NULL, go_round, NULL);
	while ((n = heddle_choose(4)) > 1)
		;
	pthread_join(t, NULL);
	printf("%u\n", n);
#elif TEST == ROUNDS
	pthread_t t;
	int seen = 0;
	pthread_create(&t, NULL, set, NULL);
	/* Both 0 and 1 can be the last one that it sees, and it may stop before it has looked. */
	while (heddle_choose(2))
		seen = 2 + count;
	printf("%d\n", seen);
	pthread_join(t, NULL);
#elif TEST == COUNTS
	while (heddle_choose(2) && count < 2)
		count++;
	printf("%d\n", count);
#elif TEST == NEVER
	pthread_t t[2];
	pthread_create(&t[0], NULL, set, NULL);
	pthread_create(&t[1], NULL, fail, NULL);
	while (heddle_choose(3) < 4)
		;
#else
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", count);
#endif
	return 0;
}
