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

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
