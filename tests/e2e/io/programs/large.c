/* SPDX-License-Identifier: Apache-2.0 */
/* Much input: with read in pieces of a mebibyte, and the second half by fread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

static uint64_t sum(uint64_t h, const char *p, size_t n)
{
	uint64_t w;
	for (; n >= sizeof(w); p += sizeof(w), n -= sizeof(w)) {
		memcpy(&w, p, sizeof(w));
		h = (h ^ w) * 0x9e3779b97f4a7c15;
	}
	return h + n;
}

__attribute__((no_sanitize_thread)) static uint64_t quick_sum(uint64_t h, const char *p, size_t n)
{
	for (; n >= 8; p += 8, n -= 8)
		h = (h ^ *(const uint64_t *)p) * 0x9e3779b97f4a7c15;
	return h + n;
}

int main(void)
{
	uint64_t h = 1;
	size_t total = 0;
	while (total < 10u << 20) {
		ssize_t n = read(0, block, sizeof(block));
		if (n <= 0)
			break;
		h = quick_sum(h, block, (size_t)n);
		total += (size_t)n;
	}
	for (size_t n; (n = fread(block, 1, sizeof(block), stdin)) > 0; total += n)
		h = quick_sum(h, block, n);
	printf("%zu bytes, %016llx %d\n", total, (unsigned long long)h, sum(0, block, 16) != 0);
	return 0;
}
