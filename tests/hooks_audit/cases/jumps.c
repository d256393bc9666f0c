/* SPDX-License-Identifier: Apache-2.0 */
/* setjmp and longjmp with a shared buffer. */
#include <setjmp.h>

#include "../case.h"

extern jmp_buf jm_buffer;
extern int jm_count;
jmp_buf jm_buffer;
int jm_count;

OPAQUE void jump_back(int value)
{
	jm_count++;
	longjmp(jm_buffer, value);
}

CASE(set_and_jump, "setjmp into a global buffer, longjmp back")
{
	if (setjmp(jm_buffer) < 2)
		jump_back(jm_count + 1);
	jm_count = 0;
}

CASE(compiler_jump, "__builtin_setjmp and __builtin_longjmp")
{
	static void *buffer[5];
	if (!__builtin_setjmp(buffer))
		jm_count = 1;
	jm_count++;
}
