/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of base/alloc: blocks are usable and distinct, growth keeps the content, exhaustion ends
 * with status 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "unit/unit.h"

static void empty_blocks_are_valid(void **state)
{
	(void)state;
	char *a = mem_alloc(0), *b = mem_zero(0, 8);
	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	mem_free(a);
	mem_free(b);
	mem_free(NULL);
}

static void zeroed_arrays_are_zero(void **state)
{
	(void)state;
	unsigned char *p = mem_zero(100, 7);
	for (int i = 0; i < 700; i++)
		assert_int_equal(p[i], 0);
	mem_free(p);
}

static void resize_keeps_the_content(void **state)
{
	(void)state;
	unsigned *p = NULL;
	for (unsigned n = 1; n <= 4096; n *= 2) {
		p = mem_resize(p, n, sizeof(*p));
		for (unsigned i = n / 2; i < n; i++)
			p[i] = i * 3;
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(p[i], i * 3);
	}
	mem_free(p);
}

static void strings_are_copied(void **state)
{
	(void)state;
	char source[] = "abcdef";
	char *whole = mem_strdup(source), *part = mem_strndup(source, 3),
	     *none = mem_strndup(source, 0);
	source[0] = 'X';
	assert_string_equal(whole, "abcdef");
	assert_string_equal(part, "abc");
	assert_string_equal(none, "");
	mem_free(whole);
	mem_free(part);
	mem_free(none);
}

static void exhaustion_ends_the_process_with_a_message(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(ends[1], 2);
		mem_resize(NULL, SIZE_MAX / 2, 16);
		_exit(0);
	}
	close(ends[1]);
	char said[200] = "";
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	close(ends[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_non_null(strstr(said, "out of memory"));
}

int main(void)
{
	RUN(cmocka_unit_test(empty_blocks_are_valid), cmocka_unit_test(zeroed_arrays_are_zero),
	    cmocka_unit_test(resize_keeps_the_content), cmocka_unit_test(strings_are_copied),
	    cmocka_unit_test(exhaustion_ends_the_process_with_a_message));
}
