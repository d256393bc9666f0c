/* SPDX-License-Identifier: Apache-2.0 */
/* What cmocka wants before it, in one place. */
#ifndef HEDDLE_UNIT_H
#define HEDDLE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RUN(...)                                           \
	const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
	return cmocka_run_group_tests(tests, NULL, NULL)

/* A small generator of its own: a failing test must fail again on every machine. */
static inline uint64_t test_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

#endif
