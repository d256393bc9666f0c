/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of 16 bytes, which have hooks or go to libatomic, and of 24 bytes, which always go to libatomic. */
#include <stdatomic.h>

#include "../case.h"

__extension__ typedef unsigned __int128 u128;

struct pair {
	long a, b;
};

struct triple {
	long a, b, c;
};

extern u128 big_value, big_plain;
extern _Atomic(struct pair) big_pair;
extern struct pair big_plain_pair;
extern _Atomic(struct triple) big_triple;
extern struct triple big_plain_triple;
u128 big_value, big_plain;
_Atomic(struct pair) big_pair;
struct pair big_plain_pair = { 1, 2 };
_Atomic(struct triple) big_triple;
struct triple big_plain_triple = { 1, 2, 3 };

CASE(sync_16, "__sync compare and swap of 16 bytes")
{
	big_plain = __sync_val_compare_and_swap(&big_value, 0, 1);
}

CASE(struct_16, "_Atomic struct of 16 bytes, assigned and read")
{
	big_pair = big_plain_pair;
	big_plain_pair = big_pair;
}

CASE(compare_16, "compare and exchange of a 16-byte struct")
{
	struct pair expected = { 1, 2 }, wanted = { 3, 4 };
	atomic_compare_exchange_strong(&big_pair, &expected, wanted);
}

CASE(exchange_16, "exchange of a 16-byte struct")
{
	big_plain_pair = atomic_exchange(&big_pair, big_plain_pair);
}

CASE(struct_24, "_Atomic struct of 24 bytes, assigned and read")
{
	big_triple = big_plain_triple;
	big_plain_triple = big_triple;
}

CASE(exchange_24, "exchange of a 24-byte struct")
{
	big_plain_triple = atomic_exchange(&big_triple, big_plain_triple);
}

CASE(compare_24, "compare and exchange of a 24-byte struct")
{
	struct triple expected = { 1, 2, 3 }, wanted = { 4, 5, 6 };
	atomic_compare_exchange_strong(&big_triple, &expected, wanted);
}
