/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/file and base/err: whole files, failures with path and reason, statuses of codes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "unit/unit.h"

static char dir[] = "/tmp/heddle-test-file-XXXXXX";
static char path[100];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	static char bytes[200000];
	struct err err;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t len = 0; len <= sizeof(bytes); len = len * 3 + 1) {
		struct buf got = { 0 };
		buf_str(&got, "before");
		assert_int_equal(file_write(path, bytes, len, &err), 0);
		assert_int_equal(file_read(path, &got, &err), 0);
		assert_int_equal(got.len, len + 6);
		assert_memory_equal(got.at, "before", 6);
		assert_memory_equal(got.at + 6, bytes, len);
		buf_release(&got);
	}
}

static void a_pipe_is_written_in_place(void **state)
{
	(void)state;
	struct err err;
	struct stat st;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(file_write(path, "abc", 3, &err), 0);
	char got[4] = "";
	assert_int_equal(read(reader, got, 4), 3);
	assert_string_equal(got, "abc");
	close(reader);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(path);
}

static void failures_name_the_file_and_the_reason(void **state)
{
	(void)state;
	struct err err;
	struct buf b = { 0 };
	assert_int_equal(file_read("/nowhere/x", &b, &err), -ERR_IO);
	assert_string_equal(err.text, "cannot open /nowhere/x: No such file or directory");
	assert_int_equal(file_read("/", &b, &err), -ERR_IO);
	assert_string_equal(err.text, "cannot read /: Is a directory");
	assert_int_equal(file_write("/nowhere/x", "a", 1, &err), -ERR_IO);
	assert_non_null(strstr(err.text, "cannot write /nowhere/x: No such file"));
	assert_int_equal(file_write("/dev/full", "a", 1, &err), -ERR_IO);
	assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
	assert_int_equal(file_write_fd(-1, "a", 1), -EBADF);
	buf_release(&b);
}

static void errors_are_cut_to_fit_and_may_be_unwanted(void **state)
{
	(void)state;
	struct err err;
	static char longer[3000];
	memset(longer, 'x', sizeof(longer) - 1);
	assert_int_equal(err_set(&err, ERR_FORMAT, "%s", longer), -ERR_FORMAT);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err_set(NULL, ERR_IO, "unwanted"), -ERR_IO);
}

static void every_code_has_its_status(void **state)
{
	(void)state;
	assert_int_equal(err_exit_status(-ERR_USAGE), 2);
	assert_int_equal(err_exit_status(-ERR_IO), 3);
	assert_int_equal(err_exit_status(-ERR_FORMAT), 3);
	assert_int_equal(err_exit_status(-ERR_DIVERGED), 4);
	assert_int_equal(err_exit_status(-ERR_INTERNAL), 70);
	assert_int_equal(err_exit_status(-1000), 70);
}

static void base_names_follow_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(file_base_name("/usr/bin/cc"), "cc");
	assert_string_equal(file_base_name("cc"), "cc");
	assert_string_equal(file_base_name("dir/"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_pipe_is_written_in_place),
		cmocka_unit_test(failures_name_the_file_and_the_reason),
		cmocka_unit_test(errors_are_cut_to_fit_and_may_be_unwanted),
		cmocka_unit_test(every_code_has_its_status),
		cmocka_unit_test(base_names_follow_the_last_slash),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
