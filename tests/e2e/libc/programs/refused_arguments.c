/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All arguments reach a refused function that is called natively, also those in floating-point registers and
 * on the stack.
 *
 * refused: swapcontext|makecontext|getcontext
 */
#include <assert.h>
#include <stdio.h>
#include <ucontext.h>

static ucontext_t back, there;
static int sum;
static char stack[65536];

static void add(int a, int b, int c, int d, int e, int f, int g, int h)
{
	sum = a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h;
}

int main(void)
{
	assert(!getcontext(&there));
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &back;
	makecontext(&there, (void (*)(void))add, 8, 1, 2, 3, 4, 5, 6, 7, 8);
	assert(!swapcontext(&back, &there));
	printf("%d\n", sum);
	return 0;
}
