/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qsort.  libc moves elements between the calls of the comparison, out of our sight, while other
 * threads may run.  Ours sorts pointers, so that the comparison sees every element where the
 * program put it, and moves the elements in one step at the end.  Merging keeps the order of
 * equal elements, as glibc's sort does: the result is the same.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"

struct order {
	int (*compare)(const void *, const void *, void *);
	void *argument;
};

/* Two arguments instead of three: the third is the comparison itself. */
static int compare_two(const void *a, const void *b, void *compare)
{
	return ((int (*)(const void *, const void *))compare)(a, b);
}

/* Merge neighbouring runs of `run` pointers into `to`. */
static void merge_runs(void **from, void **to, size_t n, size_t run, const struct order *order)
{
	for (size_t low = 0; low < n; low += 2 * run) {
		size_t mid = low + run < n ? low + run : n, high = mid + run < n ? mid + run : n;
		size_t i = low, j = mid;
		for (size_t k = low; k < high; k++) {
			bool left = j == high;
			if (i < mid && !left)
				left = order->compare(from[i], from[j], order->argument) <= 0;
			to[k] = left ? from[i++] : from[j++];
		}
	}
}

static void sort(char *base, size_t n, size_t size, const struct order *order, pc_t pc)
{
	if (n < 2 || !size)
		return;
	/* Two arrays of pointers and a copy of the elements, gone afterwards. */
	size_t room = 2 * n * sizeof(void *) + n * size;
	void **pointers = rt_map(room), **other = pointers + n;
	for (size_t i = 0; i < n; i++)
		pointers[i] = base + i * size;
	for (size_t run = 1; run < n; run *= 2) {
		merge_runs(pointers, other, n, run, order);
		void **swap = pointers;
		pointers = other;
		other = swap;
	}
	void *start = pointers < other ? pointers : other;
	char *copy = (char *)start + 2 * n * sizeof(void *);
	rt_enter(pc);
	rt_point();
	rt_libc_read(base, n * size, pc);
	libc_will_write(base, n * size, pc);
	for (size_t i = 0; i < n; i++)
		rt_memcpy(copy + i * size, pointers[i], size);
	rt_memcpy(base, copy, n * size);
	rt_libc_wrote(base, n * size, pc);
	rt_unmap(start, room);
}

RT_EXPORT void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (!libc_enter(PC)) {
		REAL_FN(qsort)(base, n, size, compare);
		return;
	}
	struct order order = { compare_two, (void *)compare };
	sort(base, n, size, &order, PC);
}

RT_EXPORT void qsort_r(void *base, size_t n, size_t size,
		       int (*compare)(const void *, const void *, void *), void *argument)
{
	if (!libc_enter(PC)) {
		REAL_FN(qsort_r)(base, n, size, compare, argument);
		return;
	}
	struct order order = { compare, argument };
	sort(base, n, size, &order, PC);
}
