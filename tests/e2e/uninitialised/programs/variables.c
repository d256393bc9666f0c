/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables, one case each: -DCASE_name.  The variable without a value is `unset` (in a part: `unset` too). */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	char tag;
	long value;
};

int table[256];			/* external: stores to it are kept */
static struct pair kept;
static atomic_int order;
static jmp_buf back;

static __attribute__((noinline)) void *touch(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

/* Leaves values where frames of later calls lie. */
static __attribute__((noinline)) int litter(int n)
{
	volatile int rubbish[40];
	for (int i = 0; i < 40; i++)
		rubbish[i] = n;
	return rubbish[n % 40];
}

static __attribute__((noinline)) int sum(int count, ...)
{
	va_list list;
	int total = 0;
	va_start(list, count);
	while (count--)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

static __attribute__((noinline)) void use(int n)
{
#if defined(CASE_branch)
	int unset;
	if (n > 100)
		unset = 3;
	if (unset > 7)
		table[1] = 1;
#elif defined(CASE_address)
	unsigned char unset;
	if (n > 100)
		touch(&unset);
	table[unset]++;
#elif defined(CASE_output)
	int unset;
	if (n > 100)
		unset = 3;
	printf("%d\n", unset);
#elif defined(CASE_field)
	struct { int set, unset; } both;
	both.set = n;
	touch(&both);
	if (both.unset)
		table[2] = both.set;
#elif defined(CASE_element)
	int unset[10];
	for (int i = 0; i < 9; i++)
		unset[i] = i;
	touch(unset);
	if (unset[n % 10 + 4])
		table[3] = 1;
#elif defined(CASE_rare)
	int unset;
	if (order == 0)
		unset = 1;
	if (unset > 7)
		table[5] = 1;
#elif defined(CASE_deep)
	int unset;
	if (n)
		use(n - 1);
	else
		touch(&unset);
	if (!n && unset > 7)
		table[6] = 1;
#elif defined(CASE_ok_set)
	int value;
	if (n > 100)
		value = 3;
	else
		value = 8;
	if (value > 7)
		table[1] = 1;
#elif defined(CASE_ok_copy)
	struct pair pair;
	pair.tag = 1;
	pair.value = n;
	kept = pair;
	struct pair others[2];
	memcpy(others, &pair, sizeof(pair));
	memcpy(&kept, touch(others), sizeof(kept));
#elif defined(CASE_ok_unused)
	int value;
	table[7] = value & 0;
#elif defined(CASE_ok_parameter)
	int *p = touch(&n);
	if (*p > 3)
		table[8] = 1;
#elif defined(CASE_ok_filled)
	char text[40];
	int value;
	snprintf(text, sizeof(text), "%d", n);
	if (sscanf(text, "%d", &value) == 1 && value > 3)
		table[9] = (int)strlen(text);
#elif defined(CASE_ok_variadic)
	table[10] = sum(3, n, n + 1, n + 2);
#elif defined(CASE_ok_jump)
	volatile int times = 0;
	if (!setjmp(back) && !times++)
		longjmp(back, 1);
	table[11] = times;
#elif defined(CASE_ok_array)
	int values[100], count = n % 7 + 1;
	for (int i = 0; i < count; i++)
		values[i] = i;
	for (int i = 0; i < count; i++)
		table[values[i]] = i;
#elif defined(CASE_ok_zeroed)
	struct { int many[30]; struct pair pair; } all = {0};
	touch(&all);
	if (all.many[n] || all.pair.value)
		table[12] = 1;
#elif defined(CASE_ok_given)
	int given;
	pthread_t t;
	void *result;
	pthread_create(&t, NULL, touch, &given);
	pthread_join(t, &result);
	if (result == &given)
		table[13] = 1;
#elif defined(CASE_ok_awaited)
	int seen, rounds;
	do {
		seen = atomic_load(&order);
		rounds = n;
	} while (!seen);
	table[14] = rounds;
#elif defined(CASE_ok_awaited_pair)
	int seen, again;
	do {
		seen = atomic_load(&order);
		again = atomic_load(&order);
	} while (!seen || !again);
	table[15] = seen + again;
#elif defined(CASE_ok_awaited_pointer)
	atomic_int *at;
	while (!(at = atomic_load(&order) ? &order : NULL))
		sched_yield();
	table[16] = atomic_load(at);
#elif defined(CASE_await)
	int unset;
	touch(NULL);
	while (!unset && !atomic_load(&order))
		;
#else
#error no such case
#endif
}

static void *other(void *arg)
{
	order = 1;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	litter(9);
	use(5);
	pthread_join(t, NULL);
	return 0;
}
