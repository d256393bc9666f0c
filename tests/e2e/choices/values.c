/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of any value: one value, or a few, lead to the error.  TEST is one of these. */
#include <limits.h>
#include <pthread.h>

#define EQUAL 1
#define INSIDE 2
#define ABOVE 3
#define BELOW 4
#define TABLE 5
#define SPARSE 6
#define BITS 7
#define CHAR 8
#define SCHAR 9
#define USHORT 10
#define UINT 11
#define LONG 12
#define ULONG 13
#define LIMITS 14
#define TWO 15
#define POINTER 16
#define CALLEE 17
#define PLAIN 18
#define COUNTER 19

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int cells[32];

#if TEST == POINTER
__attribute__((noinline)) static void input(int *to)
{
	*to = __VERIFIER_nondet_int();
}
#elif TEST == CALLEE
__attribute__((noinline)) static int is_special(int x)
{
	return x == 8191;
}
#elif TEST == PLAIN || TEST == COUNTER
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *fill(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 29; i++)
		cells[i] = i;
	cells[30] = __VERIFIER_nondet_int();
	pthread_mutex_unlock(&lock);
	return arg;
}
#endif

int main(void)
{
#if TEST == EQUAL
	if (__VERIFIER_nondet_int() == 123456)
		reach_error();
#elif TEST == INSIDE
	unsigned n = __VERIFIER_nondet_uint();
	__VERIFIER_assume(n >= 50 && n <= 60);
	if (n != 50 && n != 60)
		reach_error();
#elif TEST == ABOVE
	if (__VERIFIER_nondet_int() > 1000)
		reach_error();
#elif TEST == BELOW
	if (__VERIFIER_nondet_int() < -1000)
		reach_error();
#elif TEST == TABLE
	switch (__VERIFIER_nondet_int()) {
	case 20: cells[0] = 1; break;
	case 21: cells[1] = 2; break;
	case 22: cells[2] = 5; break;
	case 23: cells[3] = 7; break;
	case 24: reach_error(); break;
	case 25: cells[4] = 7; break;
	case 26: cells[7] = 3; break;
	case 27: cells[5] = 3; break;
	}
#elif TEST == SPARSE
	switch (__VERIFIER_nondet_int()) {
	case -700: cells[0] = 1; break;
	case 10: cells[1] = 2; break;
	case 900: cells[3] = 7; break;
	case 4000: reach_error(); break;
	case 100000: cells[5] = 3; break;
	}
#elif TEST == BITS
	int n = __VERIFIER_nondet_int();
	if (n == 33 || n == 35 || n == 38 || n == 47)
		cells[0] = 1;
	else if (n > 35 && n < 38)
		reach_error();
#elif TEST == CHAR
	if (__VERIFIER_nondet_uchar() == 200)
		reach_error();
#elif TEST == SCHAR
	if (__VERIFIER_nondet_schar() == -77)
		reach_error();
#elif TEST == USHORT
	if (__VERIFIER_nondet_ushort() == 50000)
		reach_error();
#elif TEST == UINT
	if (__VERIFIER_nondet_uint() == 0xfffffff0u)
		reach_error();
#elif TEST == LONG
	if (__VERIFIER_nondet_long() == -0x123456789abcL)
		reach_error();
#elif TEST == ULONG
	if (__VERIFIER_nondet_ulong() == 0x8000000000000005ul)
		reach_error();
#elif TEST == LIMITS
	int n = __VERIFIER_nondet_int();
	if (n == INT_MAX)
		cells[0] = 1;
	else if (n == INT_MIN)
		reach_error();
#elif TEST == TWO
	int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
	if (a == 77 && b == 99)
		reach_error();
#elif TEST == POINTER
	int n = 0;
	input(&n);
	if (n == 404)
		reach_error();
#elif TEST == CALLEE
	if (is_special(__VERIFIER_nondet_int()))
		reach_error();
#elif TEST == PLAIN || TEST == COUNTER
	pthread_t t;
	pthread_create(&t, NULL, fill, NULL);
	pthread_join(t, NULL);
	cells[29] = cells[30];
	if (TEST == COUNTER && cells[30] == 500)
		reach_error();
#endif
	return 0;
}
