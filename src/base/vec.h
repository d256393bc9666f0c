/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing arrays.  Declare with VEC(type) as a struct member or variable; the zero state is the
 * empty array. `at` and `len` may be read freely; elements move when the array grows, so keep
 * indices, not pointers.
 */
#ifndef HEDDLE_VEC_H
#define HEDDLE_VEC_H

#include <stddef.h>

#include <string.h>

#include "base/alloc.h"

#define VEC(type)           \
	struct {            \
		type *at;   \
		size_t len; \
		size_t cap; \
	}

#define vec_reserve(v, more)                                                        \
	((v)->len + (more) > (v)->cap                                               \
		 ? (void)((v)->at = vec_grow((v)->at, &(v)->cap, (v)->len + (more), \
					     sizeof(*(v)->at)))                     \
		 : (void)0)
#define vec_push(v, element) (vec_reserve(v, 1), (v)->at[(v)->len++] = (element))
/* Append one zeroed element and give its address, valid until the next growth. */
#define vec_add(v) \
	(vec_reserve(v, 1), memset(&(v)->at[(v)->len], 0, sizeof(*(v)->at)), &(v)->at[(v)->len++])
/* Append zeroed elements until there are `count`.  One allocation: counts from files may be large.
 */
#define vec_grow_zeroed(v, count)                                                                 \
	((v)->len < (count)                                                                       \
		 ? (void)(vec_reserve(v, (count) - (v)->len),                                     \
			  memset(&(v)->at[(v)->len], 0, ((count) - (v)->len) * sizeof(*(v)->at)), \
			  (v)->len = (count))                                                     \
		 : (void)0)
#define vec_last(v) ((v)->at[(v)->len - 1])
#define vec_release(v) (mem_free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

void *vec_grow(void *at, size_t *cap, size_t need, size_t element_size);

#endif
