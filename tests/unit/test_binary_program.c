/* SPDX-License-Identifier: Apache-2.0 */
/* The list of C library functions, hook names, ELF images (also damaged), and inspection of
 * programs. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "binary/hooks.h"
#include "binary/image.h"
#include "cc/late.h"
#include "cc/thin.h"
#include "binary/libc_table.h"
#include "binary/program.h"

static const char *const library_names[] = {
#define LIBC(name, CLASS) #name,
#include "wire/libc.def"
#undef LIBC
};

static void library_list_is_sorted(void **state)
{
	(void)state;
	size_t count = sizeof(library_names) / sizeof(*library_names);
	assert_true(count > 300);
	for (size_t i = 1; i < count; i++)
		if (strcmp(library_names[i - 1], library_names[i]) >= 0)
			fail_msg("%s must not stand before %s", library_names[i - 1],
				 library_names[i]);
	for (size_t i = 0; i < count; i++)
		assert_int_not_equal(libc_class(library_names[i]), LIBC_UNKNOWN);
}

static void library_functions_are_classified(void **state)
{
	(void)state;
	assert_int_equal(libc_class("sqrt"), LIBC_PURE);
	assert_int_equal(libc_class("memcpy"), LIBC_RANGES);
	assert_int_equal(libc_class("printf"), LIBC_STREAM);
	assert_int_equal(libc_class("rand"), LIBC_HIDDEN);
	assert_int_equal(libc_class("pthread_mutex_lock"), LIBC_MODELLED);
	assert_int_equal(libc_class("ptrace"), LIBC_REFUSED);
	assert_int_equal(libc_class("no_such_function"), LIBC_UNKNOWN);
	assert_int_equal(libc_class(""), LIBC_UNKNOWN);
	assert_true(libc_is_library("libc.so.6") && libc_is_library("libm.so.6"));
	assert_false(libc_is_library("libcrypto.so.3"));
}

static void hooks_are_recognised(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum hook_kind kind;
		unsigned size;
		const char *late;
	} cases[] = {
		{ "__tsan_write8", HOOK_WRITE, 8, "__heddle_late_write8" },
		{ "__tsan_write16", HOOK_WRITE, 16, "__heddle_late_write16" },
		{ "__tsan_write_range", HOOK_WRITE, 0, "__heddle_late_write_range" },
		{ "__tsan_unaligned_volatile_write2", HOOK_WRITE, 2,
		  "__heddle_late_unaligned_volatile_write2" },
		{ "__tsan_volatile_write1", HOOK_WRITE, 1, "__heddle_late_volatile_write1" },
		{ "__tsan_read4", HOOK_READ, 4, NULL },
		{ "__tsan_read_range", HOOK_READ, 0, NULL },
		{ "__tsan_read_write8", HOOK_OTHER, 0, NULL },
		{ "__tsan_write8_pc", HOOK_OTHER, 0, NULL },
		{ "__tsan_func_exit", HOOK_OTHER, 0, NULL },
		{ "__sanitizer_cov_trace_pc", HOOK_BRANCH, 0, NULL },
		{ "__sanitizer_cov_trace_pc_guard", HOOK_BRANCH, 0, NULL },
		{ "__sanitizer_cov_trace_pc_guard_init", HOOK_OTHER, 0, NULL },
		{ "memcpy", HOOK_NONE, 0, NULL },
		{ "write8", HOOK_NONE, 0, NULL },
		{ "", HOOK_NONE, 0, NULL },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hook h = hook_by_name(cases[i].name);
		assert_int_equal(h.kind, cases[i].kind);
		assert_int_equal(h.size, cases[i].size);
		if (cases[i].late)
			assert_string_equal(h.late, cases[i].late);
		else
			assert_null(h.late);
	}
}

static void look_at_everything(unsigned char *bytes, size_t len)
{
	struct image img;
	const char *reason;
	struct err err;
	if (!image_open(&img, bytes, len, &reason)) {
		char id[IMAGE_BUILD_ID_SIZE];
		struct program_info info = { 0 };
		struct late_report report;
		struct thin_report thin;
		image_build_id(&img, id);
		program_runtime(&img);
		program_collect_imports(&img, &info);
		program_info_release(&info);
		thin_callbacks(&img, bytes, &thin, &err);
		late_patch(&img, bytes, &report, &err);
		late_report_release(&report);
	} else {
		assert_non_null(reason);
	}
	image_close(&img);
}

/* No damage to a file makes us read outside it; the sanitizer build sees to that. */
static void damaged_images_are_harmless(void **state)
{
	(void)state;
	struct buf self = { 0 };
	struct err err;
	assert_int_equal(file_read("/proc/self/exe", &self, &err), 0);
	for (size_t len = 0; len < 200; len++) {
		unsigned char *cut = mem_alloc(len);
		memcpy(cut, self.at, len);
		look_at_everything(cut, len);
		mem_free(cut);
	}
	/* Headers, and the section table at the end, are where damage matters. */
	uint64_t seed = 7;
	Elf64_Ehdr header;
	memcpy(&header, self.at, sizeof(header));
	for (int round = 0; round < 60; round++) {
		unsigned char *copy = mem_alloc(self.len);
		memcpy(copy, self.at, self.len);
		for (int k = 0; k < 4; k++) {
			bool at_start = test_random(&seed) & 1;
			uint64_t area = at_start ? 1024 : self.len - header.e_shoff;
			uint64_t at = test_random(&seed) % area + (at_start ? 20 : header.e_shoff);
			copy[at < self.len ? at : 0] = (unsigned char)test_random(&seed);
		}
		copy[0] = 0x7f;
		look_at_everything(copy, self.len);
		mem_free(copy);
	}
	buf_release(&self);
}

static void expect_inspection(const char *path, int code, const char *part)
{
	struct program_info info;
	struct err err = { 0 };
	assert_int_equal(program_inspect(path, &info, &err), -code);
	if (!strstr(err.text, part) || strchr(err.text, '\n'))
		fail_msg("'%s' does not say '%s' in one line", err.text, part);
	program_info_release(&info);
}

static void write_program(const char *path, const void *bytes, size_t len, mode_t mode)
{
	struct err err;
	assert_int_equal(file_write(path, bytes, len, &err), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void unusable_programs_are_explained(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-unit-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	struct buf self = { 0 };
	struct err err;
	assert_int_equal(file_read("/proc/self/exe", &self, &err), 0);
	expect_inspection("/no/such/file", ERR_IO, "No such file");
	expect_inspection("/tmp", ERR_PROGRAM, "directory");
	expect_inspection("/dev/null", ERR_PROGRAM, "special file");
	write_program(path, "#!/bin/sh\n", 10, 0755);
	expect_inspection(path, ERR_PROGRAM, "script");
	write_program(path, "text", 4, 0755);
	expect_inspection(path, ERR_PROGRAM, "is not an ELF file");
	write_program(path, "", 0, 0755);
	expect_inspection(path, ERR_PROGRAM, "is not an ELF file");
	write_program(path, self.at, self.len, 0755);
	expect_inspection(path, ERR_PROGRAM, "was not built by heddle");
	self.at[EI_CLASS] = ELFCLASS32;
	write_program(path, self.at, self.len, 0755);
	expect_inspection(path, ERR_PROGRAM, "32-bit");
	self.at[EI_CLASS] = ELFCLASS64;
	Elf64_Ehdr header;
	memcpy(&header, self.at, sizeof(header));
	header.e_machine = EM_AARCH64;
	memcpy(self.at, &header, sizeof(header));
	write_program(path, self.at, self.len, 0755);
	expect_inspection(path, ERR_PROGRAM, "x86-64");
	header.e_machine = EM_X86_64;
	header.e_phnum = 0;
	memcpy(self.at, &header, sizeof(header));
	write_program(path, self.at, self.len, 0755);
	expect_inspection(path, ERR_PROGRAM, "statically linked");
	header.e_type = ET_REL;
	memcpy(self.at, &header, sizeof(header));
	write_program(path, self.at, self.len, 0755);
	expect_inspection(path, ERR_PROGRAM, "object file");
	write_program(path, self.at, self.len, 0644);
	expect_inspection(path, ERR_PROGRAM, "not executable");
	unlink(path);
	buf_release(&self);
}

static int count_member(void *ctx, const void *member, size_t len)
{
	(void)member;
	(void)len;
	++*(int *)ctx;
	return 0;
}

static void damaged_archives_are_rejected(void **state)
{
	(void)state;
	int count = 0;
	static const char good[] =
		"!<arch>\nmember.o/       0           0     0     644     3         `\nabc\n";
	assert_true(archive_is(good, sizeof(good) - 1));
	assert_int_equal(archive_walk(good, sizeof(good) - 1, count_member, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(archive_walk(good, sizeof(good) - 4, count_member, &count), -ERR_FORMAT);
	assert_int_equal(archive_walk("!<arch>", 7, count_member, &count), -ERR_FORMAT);
	assert_int_equal(count, 1);
}

int main(void)
{
	RUN(cmocka_unit_test(library_list_is_sorted),
	    cmocka_unit_test(library_functions_are_classified),
	    cmocka_unit_test(hooks_are_recognised), cmocka_unit_test(damaged_images_are_harmless),
	    cmocka_unit_test(unusable_programs_are_explained),
	    cmocka_unit_test(damaged_archives_are_rejected));
}
