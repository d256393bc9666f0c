/* SPDX-License-Identifier: Apache-2.0 */
/* The generator's choices: the same ones for the same seed, on every machine. */
#ifndef GENERATOR_RANDOM_H
#define GENERATOR_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

static uint64_t random_state;

static uint64_t random_next(void)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static unsigned below(unsigned n)
{
	return (unsigned)(random_next() % n);
}

static bool chance(unsigned percent)
{
	return below(100) < percent;
}

#define PICK(array) (array)[below(COUNT(array))]

#endif
