/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libraries with locks of their own, by name; see own_locks.h. */
#include "binary/own_locks.h"

#include <string.h>

#include "base/file.h"

/* Their names begin with these. */
static const char *const libraries[] = {
	"libglib-2.0.so", /* GMutex, GCond, GRWLock, GAsyncQueue */
	"libtbb.so",	  "libgomp.so",	   "libomp.so",
	"libiomp5.so",	  "libQt5Core.so", "libQt6Core.so", /* QMutex, QSemaphore */
};

static bool has_own_locks(const char *name)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (!strncmp(name, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

void own_locks_describe(const struct image *img, struct buf *out)
{
	size_t count = 0;
	for (size_t i = 0; i < img->needed.len; i++)
		if (has_own_locks(img->needed.at[i]))
			buf_printf(out, "%s%s", count++ ? ", " : "", img->needed.at[i]);
	if (count)
		buf_printf(out,
			   " %s locks that heddle does not see; what they order may be reported as "
			   "a race",
			   count == 1 ? "has" : "have");
}

void own_locks_describe_file(const char *path, struct buf *out)
{
	struct buf bytes = { 0 };
	struct image img;
	const char *reason;
	if (!file_read(path, &bytes, NULL)) {
		if (!image_open(&img, bytes.at, bytes.len, &reason))
			own_locks_describe(&img, out);
		image_close(&img);
	}
	buf_release(&bytes);
}
