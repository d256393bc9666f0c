/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

uint64_t cache_hash(const char *key)
{
	uint64_t h = 1469598103934665603u;
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 1099511628211u;
	return h ^ h >> 29;
}
