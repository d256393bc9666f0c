/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>

#include "words.h"

static int failures;

static void expect(const char *what, size_t got, size_t wanted)
{
	if (got != wanted) {
		printf("%s: %zu instead of %zu\n", what, got, wanted);
		failures++;
	}
}

int main(void)
{
	static const char *const lines[] = {
		"one two three", "", "four  five", "\tsix", "seventeen eight", "nine ten",
	};
	for (unsigned workers = 1; workers <= 8; workers++) {
		struct totals t = count_words(lines, sizeof(lines) / sizeof(*lines), workers);
		expect("words", t.words, 10);
		expect("longest", t.longest, 9);
		expect("mean times 10", (size_t)(t.mean_length * 10 + 0.5), 43);
	}
	expect("words of nothing", count_words(lines, 0, 3).words, 0);
	expect("size of long", sizeof(long), SIZEOF_LONG);
	printf(failures ? "FAILED\n" : "words: all passed\n");
	return failures != 0;
}
