/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation; see alloc.h. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p, size_t size)
{
	if (!p) {
		fprintf(stderr, "heddle: out of memory (cannot allocate %zu bytes)\n", size);
		exit(3);
	}
	return p;
}

void *mem_alloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *mem_zero(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *mem_resize(void *block, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return checked(NULL, SIZE_MAX);
	size_t bytes = count * size;
	return checked(realloc(block, bytes ? bytes : 1), bytes);
}

char *mem_strndup(const char *s, size_t len)
{
	char *copy = mem_alloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = 0;
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

void mem_free(void *block)
{
	free(block);
}
