/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocators.  All predefined ones are the heap.  An allocator that the program makes keeps its
 * alignment; a limit on its pool, and what happens beyond it, has no effect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "omp/fail.h"
#include "omp/team.h"

enum { TRAIT_ALIGNMENT = 2, PREDEFINED = 8 };

struct trait {
	int key;
	uintptr_t value;
};

struct allocator {
	size_t alignment;
};

static __thread uintptr_t standard = 1; /* omp_default_mem_alloc */

static size_t alignment_of(uintptr_t allocator, size_t wanted)
{
	size_t own = allocator > PREDEFINED ? ((const struct allocator *)allocator)->alignment : 0;
	size_t least = own > wanted ? own : wanted;
	return least > sizeof(void *) ? least : sizeof(void *);
}

static void *allocate(size_t alignment, size_t size, uintptr_t allocator)
{
	void *p = NULL;
	alignment = alignment_of(allocator ? allocator : standard, alignment);
	if (!size || alignment & (alignment - 1))
		return NULL;
	if (alignment <= 16)
		return malloc(size);
	return posix_memalign(&p, alignment, size) ? NULL : p;
}

static void *allocate_zeroed(size_t alignment, size_t count, size_t size, uintptr_t allocator)
{
	size_t all;
	if (__builtin_mul_overflow(count, size, &all))
		return NULL;
	void *p = allocate(alignment, all, allocator);
	return p ? memset(p, 0, all) : NULL;
}

OMP_EXPORT void *omp_alloc(size_t size, uintptr_t allocator)
{
	return allocate(1, size, allocator);
}

OMP_EXPORT void *omp_aligned_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
	return allocate(alignment, size, allocator);
}

OMP_EXPORT void *omp_calloc(size_t count, size_t size, uintptr_t allocator)
{
	return allocate_zeroed(1, count, size, allocator);
}

OMP_EXPORT void *omp_aligned_calloc(size_t alignment, size_t count, size_t size,
				    uintptr_t allocator)
{
	return allocate_zeroed(alignment, count, size, allocator);
}

OMP_EXPORT void omp_free(void *p, uintptr_t allocator)
{
	(void)allocator;
	free(p);
}

OMP_EXPORT void *omp_realloc(void *p, size_t size, uintptr_t allocator, uintptr_t old)
{
	(void)old;
	if (!size) {
		free(p);
		return NULL;
	}
	if (!p || alignment_of(allocator ? allocator : standard, 1) <= 16)
		return p ? realloc(p, size) : allocate(1, size, allocator);
	heddle_omp_fail("resize memory of an allocator with an alignment above 16");
}

OMP_EXPORT void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
	void *p = allocate(alignment, size, allocator);
	if (!p && size)
		heddle_omp_fail("allocate memory");
	return p;
}

OMP_EXPORT void GOMP_free(void *p, uintptr_t allocator)
{
	omp_free(p, allocator);
}

OMP_EXPORT uintptr_t omp_init_allocator(uintptr_t space, int count, const struct trait *traits)
{
	(void)space;
	struct allocator *a = heddle_omp_allocate(sizeof(*a));
	for (int i = 0; i < count; i++)
		if (traits[i].key == TRAIT_ALIGNMENT)
			a->alignment = traits[i].value;
	return (uintptr_t)a;
}

OMP_EXPORT void omp_destroy_allocator(uintptr_t allocator)
{
	if (allocator > PREDEFINED)
		free((void *)allocator);
}

OMP_EXPORT void omp_set_default_allocator(uintptr_t allocator)
{
	standard = allocator ? allocator : 1;
}

OMP_EXPORT uintptr_t omp_get_default_allocator(void)
{
	return standard;
}
