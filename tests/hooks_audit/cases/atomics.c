/* SPDX-License-Identifier: Apache-2.0 */
/* C11 atomics of every size up to 8 bytes and every operation; the hooks perform them. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../case.h"

#define SIZE(type, name)                                                                         \
	extern _Atomic(type) at_##name;                                                          \
	extern type at_plain_##name;                                                             \
	_Atomic(type) at_##name;                                                                 \
	type at_plain_##name;                                                                    \
	CASE(load_store_##name, "atomic load and store of " #type)                               \
	{                                                                                        \
		atomic_store(&at_##name, 5);                                                     \
		at_plain_##name = atomic_load(&at_##name);                                       \
		atomic_store_explicit(&at_##name, 6, memory_order_release);                      \
		at_plain_##name = atomic_load_explicit(&at_##name, memory_order_acquire);        \
		atomic_store_explicit(&at_##name, 7, memory_order_relaxed);                      \
	}                                                                                        \
	CASE(modify_##name, "atomic exchange, add, subtract, and, or, xor of " #type)            \
	{                                                                                        \
		at_plain_##name = atomic_exchange(&at_##name, 3);                                \
		at_plain_##name = atomic_fetch_add(&at_##name, 3);                               \
		at_plain_##name = atomic_fetch_sub(&at_##name, 1);                               \
		at_plain_##name = atomic_fetch_and(&at_##name, 7);                               \
		at_plain_##name = atomic_fetch_or(&at_##name, 8);                                \
		at_plain_##name = atomic_fetch_xor(&at_##name, 2);                               \
	}                                                                                        \
	CASE(compare_##name, "atomic compare and exchange of " #type)                            \
	{                                                                                        \
		type expected = 1;                                                               \
		atomic_compare_exchange_strong(&at_##name, &expected, 4);                        \
		while (!atomic_compare_exchange_weak(&at_##name, &expected, 9))                  \
			;                                                                        \
	}                                                                                        \
	CASE(compare_shared_##name, "compare and exchange of " #type " with a shared expected value") \
	{                                                                                        \
		atomic_compare_exchange_strong(&at_##name, &at_plain_##name, 4);                 \
		atomic_compare_exchange_strong(&at_##name, &at_plain_##name, 5);                 \
	}                                                                                        \
	CASE(operators_##name, "operators applied to an _Atomic " #type)                         \
	{                                                                                        \
		at_##name++;                                                                     \
		--at_##name;                                                                     \
		at_##name += 3;                                                                  \
		at_##name *= 2;                                                                  \
		at_##name = at_plain_##name;                                                     \
		at_plain_##name = at_##name;                                                     \
	}

SIZE(uint8_t, 1)
SIZE(uint16_t, 2)
SIZE(uint32_t, 4)
SIZE(uint64_t, 8)

struct pair {
	int a, b;
};

extern _Atomic(bool) at_bool;
extern _Atomic(int *) at_pointer;
extern _Atomic(double) at_double;
extern _Atomic(struct pair) at_pair;
extern struct pair at_plain_pair;
extern atomic_flag at_flag;
extern int at_ints[4];
_Atomic(bool) at_bool;
_Atomic(int *) at_pointer = at_ints;
_Atomic(double) at_double = 1.5;
_Atomic(struct pair) at_pair;
struct pair at_plain_pair = { 1, 2 };
atomic_flag at_flag = ATOMIC_FLAG_INIT;
int at_ints[4];

CASE(boolean, "atomic bool")
{
	at_bool = !at_bool;
	atomic_exchange(&at_bool, true);
}

CASE(pointer, "atomic pointer")
{
	at_pointer++;
	atomic_fetch_sub(&at_pointer, 1);
	*at_pointer = 3;
}

CASE(floating, "atomic double")
{
	at_double += 2;
}

CASE(struct_8, "atomic struct of 8 bytes")
{
	at_pair = at_plain_pair;
	at_plain_pair = at_pair;
}

CASE(flag, "atomic_flag")
{
	if (!atomic_flag_test_and_set(&at_flag))
		atomic_flag_clear(&at_flag);
}

CASE(fences, "fences between plain accesses")
{
	at_plain_4 = 1;
	atomic_thread_fence(memory_order_seq_cst);
	at_plain_8 = 2;
	atomic_signal_fence(memory_order_seq_cst);
	at_plain_2 = 3;
}
