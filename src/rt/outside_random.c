/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random bytes: from getrandom(), and from the kernel's devices.  They are inputs like any other,
 * and a replay gives the recorded ones again.  But in a recording they follow from the seed, so
 * that one seed gives one run: the kernel fills the memory, and its bytes are replaced.  An
 * exploration needs the same bytes in every execution.
 */
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t mixed(uint64_t n)
{
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ull;
	n = (n ^ n >> 27) * 0x94d049bb133111ebull;
	return n ^ n >> 31;
}

void outside_random_bytes(void *to, size_t n)
{
	uint64_t seed = g.session->policy == POLICY_EXPLORE ? 0 : g.session->seed;
	uint64_t state =
		mixed(mixed(seed) ^ ((uint64_t)g.cur->id << 32 | g.cur->library.random_calls++));
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t bytes = mixed(state += 0x9e3779b97f4a7c15ull);
		rt_memcpy((char *)to + i, &bytes, n - i < sizeof(bytes) ? n - i : sizeof(bytes));
	}
}

static void replace(struct call *c, void *p, size_t n)
{
	(void)c;
	outside_random_bytes(p, n);
}

static bool is_random(const struct call *c)
{
	switch (c->nr) {
	case SYS_getrandom:
		return true;
	case SYS_read:
	case SYS_readv:
	case SYS_pread64:
	case SYS_preadv:
	case SYS_preadv2:
		return descriptor_is_random((int)c->arg[0]);
	}
	return false;
}

void outside_replace_random(struct call *c)
{
	if (is_random(c))
		call_outputs(c, replace);
}
