/* SPDX-License-Identifier: Apache-2.0 */
/* Inline assembly with memory operands: the compiler does not look inside. */
#include "../case.h"

extern long asm_a, asm_b;
extern long asm_array[8];
long asm_a = 1, asm_b = 2;
long asm_array[8];

CASE(read_modify_write, "lock add on a global")
{
	__asm__ volatile("lock addq $1, %0" : "+m"(asm_a) : : "cc");
}

CASE(store, "store to a global by an output operand")
{
	__asm__ volatile("movq $5, %0" : "=m"(asm_a));
}

CASE(load, "load of a global by an input operand")
{
	long r;
	__asm__ volatile("movq %1, %0" : "=r"(r) : "m"(asm_b));
	asm_a = r;
}

CASE(register_operand, "register operands that come from globals")
{
	long r;
	__asm__ volatile("leaq 1(%1), %0" : "=r"(r) : "r"(asm_b));
	asm_a = r;
}

CASE(string, "rep movs between two arrays")
{
	void *to = asm_array, *from = asm_array + 4;
	size_t n = 3;
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
