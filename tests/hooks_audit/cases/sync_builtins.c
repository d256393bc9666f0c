/* SPDX-License-Identifier: Apache-2.0 */
/* The older __sync builtins and the generic __atomic builtins. */
#include "../case.h"

extern int sy_int, sy_plain;
extern long sy_long, sy_other;
extern char sy_char;
int sy_int, sy_plain;
long sy_long, sy_other = 3;
char sy_char;

CASE(sync_fetch, "__sync_fetch_and_op")
{
	sy_plain = __sync_fetch_and_add(&sy_int, 2);
	sy_plain = __sync_fetch_and_sub(&sy_int, 1);
	sy_plain = __sync_fetch_and_or(&sy_int, 4);
	sy_plain = __sync_fetch_and_and(&sy_int, 6);
	sy_plain = __sync_fetch_and_xor(&sy_int, 3);
	sy_plain = __sync_fetch_and_nand(&sy_int, 3);
}

CASE(sync_op_fetch, "__sync_op_and_fetch")
{
	sy_long = __sync_add_and_fetch(&sy_other, 2);
	sy_long = __sync_sub_and_fetch(&sy_other, 1);
}

CASE(sync_swap, "__sync compare and swap")
{
	sy_plain = __sync_bool_compare_and_swap(&sy_int, 1, 2);
	sy_plain = __sync_val_compare_and_swap(&sy_int, 2, 3);
}

CASE(sync_lock, "__sync lock test and set, release")
{
	while (__sync_lock_test_and_set(&sy_char, 1))
		;
	sy_plain = 1;
	__sync_lock_release(&sy_char);
	__sync_synchronize();
}

CASE(atomic_generic, "__atomic builtins with pointers to values")
{
	__atomic_load(&sy_long, &sy_other, __ATOMIC_ACQUIRE);
	__atomic_store(&sy_long, &sy_other, __ATOMIC_RELEASE);
	__atomic_exchange(&sy_long, &sy_other, &sy_other, __ATOMIC_ACQ_REL);
}

CASE(atomic_result, "__atomic builtins with plain values")
{
	__atomic_store_n(&sy_int, 4, __ATOMIC_RELAXED);
	sy_plain = __atomic_add_fetch(&sy_int, 2, __ATOMIC_SEQ_CST);
	sy_plain = __atomic_test_and_set(&sy_char, __ATOMIC_SEQ_CST);
	__atomic_clear(&sy_char, __ATOMIC_RELEASE);
}
