/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of arrays by doubling; see vec.h. */
#include "base/vec.h"

void *vec_grow(void *at, size_t *cap, size_t need, size_t element_size)
{
	size_t n = *cap ? *cap * 2 : 8;
	while (n < need)
		n *= 2;
	*cap = n;
	return mem_resize(at, n, element_size);
}
