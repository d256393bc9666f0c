/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the machine code of the program shows to the search: choices on whose answers nothing may
 * depend (binary/choice_flow.h), and with --depend=taint the reads on which nothing depends
 * (binary/unused.h), by the addresses that they have in the running program.  An executable that
 * can be loaded anywhere is at one place if addresses are not randomised, which the search needs
 * anyway; what would put it elsewhere is an error if something was asked for, because an address
 * that means another place of the program would make the search lose something.  Otherwise all
 * answers of all choices are tried.
 */
#include <string.h>
#include <sys/personality.h>

#include "base/file.h"
#include "binary/choice_flow.h"
#include "check/check.h"
#include "wire/canonical.h"

const char *check_program_base(const struct image *img, uint64_t *base)
{
	*base = 0;
	if (img->header.e_type == ET_EXEC)
		return NULL;
	int now = personality(0xffffffff);
	bool is_fixed = now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
	if (now >= 0)
		personality((unsigned long)now);
	if (!is_fixed)
		return "this system makes addresses random";
	if (image_alignment(img) > CANONICAL_PAGE)
		return "its pages are too large";
	*base = CANONICAL_FIRST_MODULE;
	return NULL;
}

static int find_base(const struct image *img, const char *path, uint64_t *base, struct err *err)
{
	const char *reason = check_program_base(img, base);
	return reason ? err_set(err, ERR_SUPPORT,
				"--depend=taint needs to know where %s is loaded, but %s", path,
				reason)
		      : 0;
}

static int read_program(const struct check *c, struct buf *bytes, struct image *img,
			struct err *err)
{
	const char *reason;
	int rc = file_read(c->program.path.at, bytes, err);
	if (!rc && image_open(img, bytes->at, bytes->len, &reason)) {
		rc = err_set(err, ERR_PROGRAM, "%s %s", c->program.path.at, reason);
		image_close(img);
	}
	return rc;
}

int check_depend(struct check *c, struct err *err)
{
	struct buf bytes = { 0 };
	struct image img;
	uint64_t base;
	if (!c->options.depend)
		return 0;
	int rc = read_program(c, &bytes, &img, err);
	if (!rc) {
		rc = find_base(&img, c->program.path.at, &base, err);
		rc = rc ? rc : unused_reads(&img, &c->unused, err);
		for (size_t i = 0; i < c->unused.list.len && !rc; i++)
			c->unused.list.at[i] += base;
		image_close(&img);
	}
	buf_release(&bytes);
	return rc;
}

/* ---- choices ---- */

/* Whether all code that may read what the program stores is seen: its own, the C library, and
 * C++'s. */
static bool sees_all_reads(const struct program_info *info)
{
	static const char *const known[] = {
		"libc.so",  "libpthread.so", "libdl.so",    "libm.so",
		"librt.so", "libstdc++.so",  "libgcc_s.so", "ld-linux"
	};
	for (size_t i = 0; i < info->needed.list.len; i++) {
		bool is_known = false;
		for (size_t k = 0; k < sizeof(known) / sizeof(*known) && !is_known; k++)
			is_known = !strncmp(info->needed.list.at[i], known[k], strlen(known[k]));
		if (!is_known)
			return false;
	}
	return !info->unseen.functions.list.len && !info->unseen.assembler.len &&
	       !info->unclassified.list.len;
}

int check_idle(struct check *c, struct err *err)
{
	struct buf bytes = { 0 };
	struct image img;
	struct choice_flow answers = { 0 };
	uint64_t base;
	if (!sees_all_reads(&c->program.info))
		return 0;
	int rc = read_program(c, &bytes, &img, err);
	if (!rc) {
		if (!check_program_base(&img, &base))
			rc = choice_flow_find(&img, &answers, err);
		for (size_t i = 0; i < answers.choices.list.len; i++)
			vec_push(&c->idle.choices, answers.choices.list.at[i] + base);
		for (size_t i = 0; i < answers.stores.len; i++) {
			const struct choice_store *s = &answers.stores.at[i];
			vec_push(&c->idle.stores,
				 ((struct idle_store){ s->choice + base, s->write + base,
						       s->is_latest }));
		}
		image_close(&img);
	}
	c->idle.has_buffers = c->options.memory != MEMORY_SC;
	idle_begin(&c->idle, (unsigned)c->options.jobs);
	choice_flow_release(&answers);
	buf_release(&bytes);
	return rc;
}
