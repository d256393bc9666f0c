/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread that takes ways through its functions that depend on its argument: loops with and without accesses, ends of
 * ifs, switches, jumps out of loops, a loop in one block, conditions without accesses, a function that never comes back.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t state;
static int cells[16];
static jmp_buf back;

/* Decisions do not depend on memory that has hooks, and make none: only callbacks can tell them. */
static inline __attribute__((always_inline)) unsigned decide(unsigned n)
{
	unsigned x;
	__asm__ volatile("imull $1664525, %1, %0; addl $1013904223, %0; movl %0, %1" : "=&r"(x), "+m"(state));
	return (x >> 16) % n;
}

static __attribute__((noinline)) unsigned nested(unsigned rounds)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < rounds; i++) {
		if (decide(2)) {
			cells[i & 15]++;
			if (decide(3) == 1)
				sum += 5;
			else
				cells[3] = (int)i;
		} else if (decide(2)) {
			sum ^= i;
		}
		cells[4] += (int)sum;
		if (decide(9) == 0)
			break;
	}
	return sum;
}

static __attribute__((noinline)) unsigned without_accesses(unsigned n)
{
	unsigned x = n;
	while (x > 1 && decide(20))
		x = x & 1 ? 3 * x + 1 : x / 2;
	do
		x += 3;
	while (decide(3));
	return x;
}

static __attribute__((noinline)) int choose(unsigned n)
{
	int r = 0;
	switch (decide(6)) {
	case 0: r = cells[1]; break;
	case 1: r = 7; /* fall through */
	case 2: cells[2] = r; break;
	case 3: if (n & 1) goto out; return 3;
	case 4: r = cells[5] + cells[6]; break;
	default: break;
	}
	if (r && n > 2 && decide(2))
		cells[7]++;
out:
	return r + cells[8];
}

static __attribute__((noinline)) void jump_back(unsigned n)
{
	if (decide(4) == 0)
		longjmp(back, (int)n + 1);
	cells[9]++;
}

static __attribute__((noinline)) unsigned many_ways(unsigned a, unsigned b)
{
	unsigned r = a && b && decide(2) ? 1 : decide(2) || b > 3 ? 2 : 3;
again:
	if (decide(3) == 0) {
		r++;
		if (r < 20)
			goto again;
	}
	for (;;) {
		if (decide(4) == 0)
			return r;
		if (decide(4) == 0)
			break;
	}
	cells[10] = (int)r;
	return r + 1;
}

int main(int argc, char **argv)
{
	unsigned volatile sum = 0;
	state = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) * 2654435761u : 1;
	for (volatile unsigned i = 0; i < 3; i++) {
		sum += nested(4 + i) + without_accesses(i + 5) + (unsigned)choose(i) + many_ways(i, sum);
		if (!setjmp(back))
			jump_back(i);
	}
	printf("%u\n", sum);
	return 0;
}
