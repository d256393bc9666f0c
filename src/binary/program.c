/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inspection of programs.
 *
 * Imports are the undefined symbols of the dynamic table whose version the C library must
 * provide.  A refused function is not an import of an executable, because the runtime defines a
 * stub for it.  There it counts as used if an instruction calls, jumps to or takes the address of
 * the stub.  Such an instruction is an opcode followed by a 32-bit distance.  All bytes that look
 * like one are compared with the stubs' addresses, without decoding.  A false match needs four
 * bytes to agree by chance, and only adds a name to a list of warnings.
 */
#include "binary/program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "binary/libc_table.h"
#include "binary/nondet_table.h"
#include "wire/version.h"

#define RUNTIME_MARKER "heddle_runtime_version"
#define RUN_MARKER "heddle_run_version"

enum program_runtime program_runtime(const struct image *img)
{
	bool has_hooks = false, has_marker = false, has_run_marker = false;
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		has_hooks |= s->is_defined && !strcmp(s->name, "__tsan_func_entry");
		has_marker |= s->is_defined && !strcmp(s->name, RUNTIME_MARKER);
		has_run_marker |= s->is_defined && !strcmp(s->name, RUN_MARKER);
	}
	if (!has_hooks)
		return PROGRAM_NO_RUNTIME;
	return has_marker	? PROGRAM_FOR_EXPLORATION
	       : has_run_marker ? PROGRAM_FOR_RUN
				: PROGRAM_NO_RUNTIME;
}

static void add_once(struct words *w, const char *name)
{
	if (!words_contain(w, name))
		words_add(w, name);
}

/* Uses of stubs by call, jmp and lea in one section. */
static void find_uses(const struct image *img, size_t section, const struct map *stubs,
		      struct words *used)
{
	const Elf64_Shdr *s = &img->sections.at[section];
	const unsigned char *code = image_section_bytes(img, section);
	for (size_t i = 2; code && s->sh_size >= 6 && i <= s->sh_size - 4; i++) {
		bool is_branch = code[i - 1] == 0xe8 || code[i - 1] == 0xe9;
		bool is_lea = code[i - 2] == 0x8d && (code[i - 1] & 0xc7) == 0x05;
		if (!is_branch && !is_lea)
			continue;
		int32_t distance;
		memcpy(&distance, code + i, 4);
		uint64_t *symbol = map_get(stubs, s->sh_addr + i + 4 + (uint64_t)(int64_t)distance);
		if (symbol)
			add_once(used, img->symbols.at[*symbol].name);
	}
}

void program_collect_imports(const struct image *img, struct program_info *info)
{
	struct map stubs = { 0 };
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		bool is_import = !s->is_defined && s->library && libc_is_library(s->library);
		bool is_stub = s->is_defined && s->type == STT_FUNC;
		if (!is_import && !is_stub)
			continue;
		enum libc_class class = libc_class(s->name);
		if (is_import && class == LIBC_UNKNOWN)
			add_once(&info->unclassified, s->name);
		if (is_import && class == LIBC_REFUSED)
			add_once(&info->refused, s->name);
		if (is_stub && class == LIBC_REFUSED)
			*map_put(&stubs, s->address, NULL) = i;
	}
	for (size_t i = 1; i < img->sections.len && stubs.len; i++)
		if (img->sections.at[i].sh_flags & SHF_EXECINSTR && !image_is_runtime(img, i))
			find_uses(img, i, &stubs, &info->refused);
	map_release(&stubs);
	for (size_t i = 0; i < img->needed.len; i++)
		words_add(&info->needed, img->needed.at[i]);
}

static int check_file(const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st))
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_PROGRAM, "%s is not a program but a %s", path,
			       S_ISDIR(st.st_mode) ? "directory" : "special file");
	if (access(path, X_OK))
		return err_set(err, ERR_PROGRAM, "%s is not executable", path);
	return 0;
}

/* Whether tool and runtime agree on src/wire.  The runtime refuses such a session, too, but
 * cannot end the command. */
static bool is_of_this_version(const struct image *img)
{
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		uint32_t version;
		size_t available;
		if (!s->is_defined || strcmp(s->name, RUNTIME_MARKER))
			continue;
		const unsigned char *at = image_at(img, s->address, sizeof(version), &available);
		if (!at)
			return false;
		memcpy(&version, at, sizeof(version));
		return version == WIRE_VERSION;
	}
	return false;
}

static int check_image(const char *path, const struct image *img, struct err *err)
{
	if (img->header.e_type != ET_EXEC && img->header.e_type != ET_DYN)
		return err_set(err, ERR_PROGRAM, "%s is an object file, not a program", path);
	if (!img->has_interpreter)
		return err_set(err, ERR_PROGRAM,
			       img->is_dynamic
				       ? "%s is a shared library or statically linked, not a "
					 "program that uses the dynamic linker"
				       : "%s is statically linked",
			       path);
	enum program_runtime runtime = program_runtime(img);
	if (runtime == PROGRAM_NO_RUNTIME)
		return err_set(
			err, ERR_PROGRAM,
			"%s was not built by heddle; build it with 'heddle cc' or 'heddle c++'",
			path);
	if (runtime == PROGRAM_FOR_RUN)
		return err_set(err, ERR_PROGRAM,
			       "%s was built for 'heddle run' only; build it without --for=run",
			       path);
	if (!is_of_this_version(img))
		return err_set(err, ERR_PROGRAM,
			       "%s was built by another version of heddle; build it again", path);
	return 0;
}

int program_inspect(const char *path, struct program_info *info, struct err *err)
{
	memset(info, 0, sizeof(*info));
	struct buf bytes = { 0 };
	int rc = check_file(path, err);
	rc = rc ? rc : file_read(path, &bytes, err);
	if (!rc && bytes.len >= 2 && !memcmp(bytes.at, "#!", 2))
		rc = err_set(err, ERR_PROGRAM, "%s is a script; give the program that it starts",
			     path);
	if (!rc) {
		struct image img;
		const char *reason;
		if (image_open(&img, bytes.at, bytes.len, &reason)) {
			rc = err_set(err, ERR_PROGRAM, "%s %s", path, reason);
		} else {
			rc = check_image(path, &img, err);
			if (!rc) {
				image_build_id(&img, info->build_id);
				program_collect_imports(&img, info);
				unseen_collect(&img, &info->unseen);
				nondet_table_read(&img, &info->nondet);
			}
		}
		image_close(&img);
	}
	buf_release(&bytes);
	return rc;
}

int program_look(const char *path, enum program_runtime *runtime, struct err *err)
{
	struct buf bytes = { 0 };
	*runtime = PROGRAM_NO_RUNTIME;
	int rc = check_file(path, err);
	/* What may be executed, but not read, is no program of the user's. */
	if (!rc && !access(path, R_OK) && !(rc = file_read(path, &bytes, err))) {
		struct image img;
		const char *reason;
		if (!image_open(&img, bytes.at, bytes.len, &reason) && img.has_interpreter)
			*runtime = program_runtime(&img);
		image_close(&img);
	}
	buf_release(&bytes);
	return rc;
}

void program_info_release(struct program_info *info)
{
	words_release(&info->unclassified);
	words_release(&info->refused);
	words_release(&info->needed);
	unseen_release(&info->unseen);
}
