/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work after the link: late stores, unknown imports, objects without hooks.
 *
 * Objects.  Every translation unit that was compiled with hooks calls __tsan_init in a
 * constructor, whether it accesses memory or not.  So an object was compiled without heddle if it
 * has functions and a .comment section (compilers write one, assembler sources get none), but
 * does not refer to __tsan_init.  The same holds for objects that gcc compiled for link-time
 * optimisation, whatever the command line was.
 */
#include "cc/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "binary/image.h"
#include "cc/atomic_functions.h"
#include "cc/late.h"
#include "binary/nondet_table.h"
#include "cc/thin.h"
#include "binary/program.h"

struct object_facts {
	size_t objects;
	size_t without_hooks;
	size_t link_time; /* of these: compiled for link-time optimisation */
};

static bool has_section(const struct image *img, const char *start)
{
	for (size_t i = 1; i < img->sections.len; i++)
		if (!strncmp(image_section_name(img, i), start, strlen(start)))
			return true;
	return false;
}

static int examine_object(void *ctx, const void *bytes, size_t len)
{
	struct object_facts *facts = ctx;
	struct image img;
	const char *reason;
	if (!image_open(&img, bytes, len, &reason) && img.header.e_type == ET_REL) {
		bool has_functions = false, has_hooks = false;
		for (size_t i = 0; i < img.symbols.len; i++) {
			has_functions |=
				img.symbols.at[i].is_defined && img.symbols.at[i].type == STT_FUNC;
			has_hooks |= !strcmp(img.symbols.at[i].name, "__tsan_init");
		}
		bool is_link_time = has_section(&img, ".gnu.lto_");
		facts->objects++;
		if (!has_hooks &&
		    (is_link_time || (has_functions && has_section(&img, ".comment")))) {
			facts->without_hooks++;
			facts->link_time += is_link_time;
		}
	}
	image_close(&img);
	return 0;
}

static void note_objects(const struct link_step *step)
{
	for (size_t i = 0; i < step->args->words.len; i++) {
		const struct cc_word *w = &step->args->words.at[i];
		struct buf bytes = { 0 };
		struct object_facts facts = { 0 };
		if (w->role != ROLE_INPUT || w->input != INPUT_LINKER ||
		    file_read(w->text, &bytes, NULL)) {
			buf_release(&bytes);
			continue;
		}
		if (archive_is(bytes.at, bytes.len))
			archive_walk(bytes.at, bytes.len, examine_object, &facts);
		else
			examine_object(&facts, bytes.at, bytes.len);
		const char *what = NULL;
		if (facts.link_time)
			what = "was compiled for link-time optimisation and has no hooks";
		else if (facts.without_hooks)
			what = "has code that was not compiled by heddle; its accesses are not "
			       "recorded";
		if (what)
			buf_printf(step->notes, "note: %s %s\n", w->text, what);
		buf_release(&bytes);
	}
}

static void join(const struct words *w, struct buf *out)
{
	for (size_t i = 0; i < w->list.len; i++)
		buf_printf(out, "%s%s", i ? ", " : "", w->list.at[i]);
}

static void note_imports(const struct link_step *step, const struct image *img)
{
	struct program_info info = { 0 };
	program_collect_imports(img, &info);
	if (info.unclassified.list.len) {
		bool is_one = info.unclassified.list.len == 1;
		buf_str(step->notes, "note: ");
		join(&info.unclassified, step->notes);
		buf_printf(step->notes,
			   " %s not classified; runs that call %s cannot be called complete\n",
			   is_one ? "is" : "are", is_one ? "it" : "them");
	}
	if (info.refused.list.len && step->args->is_verbose) {
		buf_str(step->notes, "note: controlled runs end when they call ");
		join(&info.refused, step->notes);
		buf_char(step->notes, '\n');
	}
	program_info_release(&info);
}

/* Write changed bytes back in place, to keep the mode and links of the file. */
static int write_back(const char *path, const struct buf *now, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int failed = fd < 0 ? -errno : file_write_fd(fd, now->at, now->len);
	if (fd >= 0 && close(fd) && !failed)
		failed = -errno;
	return failed ? err_set(err, ERR_IO, "cannot change %s: %s", path, strerror(-failed)) : 0;
}

static void note_late(const struct link_step *step, const char *path,
		      const struct late_report *report)
{
	for (const char *line = report->warnings.at; line && *line;) {
		size_t len = strcspn(line, "\n");
		buf_printf(step->notes, "warning: %.*s\n", (int)len, line);
		line += len + 1;
	}
	if (step->args->is_verbose)
		buf_printf(
			step->notes,
			"%s: %zu write hooks, %zu late and patched, %zu too late, %zu unproved\n",
			path, report->write_hooks, report->patched, report->too_late,
			report->unproved);
}

static void note_thin(const struct link_step *step, const char *path,
		      const struct thin_report *report)
{
	if (step->args->is_verbose)
		buf_printf(step->notes, "%s: %zu branch callbacks, %zu redundant ones removed\n",
			   path, report->callbacks, report->removed);
}

/* The linker's input files of the command: objects, archives and shared libraries. */
static struct words linker_inputs(const struct cc_args *args)
{
	struct words files = { 0 };
	for (size_t i = 0; i < args->words.len; i++)
		if (args->words.at[i].role == ROLE_INPUT && args->words.at[i].input == INPUT_LINKER)
			words_add(&files, args->words.at[i].text);
	return files;
}

static int patch_nondet_table(const struct link_step *step, const struct image *img,
			      unsigned char *bytes, bool *is_patched, struct err *err)
{
	struct words files = linker_inputs(step->args);
	int rc = nondet_table_patch(img, bytes, &files, is_patched, err);
	words_release(&files);
	return rc;
}

int inspect_output(const struct link_step *step, struct err *err)
{
	const char *path = step->args->output ? step->args->output : "a.out";
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	struct buf bytes = { 0 };
	struct image img;
	const char *reason;
	int rc = file_read(path, &bytes, err);
	if (rc)
		return rc;
	buf_str(&bytes, "");
	if (image_open(&img, bytes.at, bytes.len, &reason)) {
		image_close(&img);
		buf_release(&bytes);
		return 0;
	}
	if (!step->args->is_quiet) {
		note_objects(step);
		note_imports(step, &img);
	}
	struct thin_report thin;
	struct late_report late = { 0 };
	rc = thin_callbacks(&img, (unsigned char *)bytes.at, &thin, err);
	size_t atomic = 0;
	bool has_values = false;
	rc = rc ? rc : late_patch(&img, (unsigned char *)bytes.at, &late, err);
	rc = rc ? rc : atomic_functions_patch(&img, (unsigned char *)bytes.at, &atomic, err);
	rc = rc ? rc : patch_nondet_table(step, &img, (unsigned char *)bytes.at, &has_values, err);
	if (!rc && (thin.removed || late.patched || atomic || has_values))
		rc = write_back(path, &bytes, err);
	if (!rc) {
		note_thin(step, path, &thin);
		note_late(step, path, &late);
	}
	late_report_release(&late);
	image_close(&img);
	buf_release(&bytes);
	return rc;
}
