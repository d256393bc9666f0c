/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle check --depend=taint: the reads on which nothing depends (cc/unused.h), by the addresses that
 * they have in the running program.  An executable that can be loaded anywhere is at one place if
 * addresses are not randomised, which the search needs anyway; what would put it elsewhere is an error
 * here, because an address that means another place of the program would make the search lose
 * something.
 */
#include <string.h>
#include <sys/personality.h>

#include "base/file.h"
#include "cmd/check.h"
#include "wire/canonical.h"

static int find_base(const struct image *img, const char *path, uint64_t *base, struct err *err)
{
	*base = 0;
	if (img->header.e_type == ET_EXEC)
		return 0;
	int now = personality(0xffffffff);
	bool is_fixed = now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
	if (now >= 0)
		personality((unsigned long)now);
	if (!is_fixed)
		return err_set(err, ERR_SUPPORT,
			       "--depend=taint needs a system on which addresses need not be random");
	if (image_alignment(img) > CANONICAL_PAGE)
		return err_set(err, ERR_SUPPORT,
			       "--depend=taint: it is not known where %s is loaded, with pages of %llu bytes",
			       path, (unsigned long long)image_alignment(img));
	*base = CANONICAL_FIRST_MODULE;
	return 0;
}

int check_depend(struct check *c, struct err *err)
{
	struct buf bytes = {0};
	struct image img;
	const char *path = c->program.path.at, *reason;
	uint64_t base;
	if (!c->options.depend)
		return 0;
	int rc = file_read(path, &bytes, err);
	if (!rc && image_open(&img, bytes.at, bytes.len, &reason)) {
		rc = err_set(err, ERR_PROGRAM, "%s %s", path, reason);
		image_close(&img);
	} else if (!rc) {
		rc = find_base(&img, path, &base, err);
		rc = rc ? rc : unused_reads(&img, &c->unused, err);
		for (size_t i = 0; i < c->unused.list.len && !rc; i++)
			c->unused.list.at[i] += base;
		image_close(&img);
	}
	buf_release(&bytes);
	return rc;
}
