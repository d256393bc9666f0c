/* SPDX-License-Identifier: Apache-2.0 */
/* Growing mapped files; see mapped.h.  Growth is by doubling up to a step, so that small files
 * stay small. */
#include "trace/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"

#define FIRST_STEP ((size_t)1 << 14)
#define LARGEST_STEP ((size_t)32 << 20)

static int fail(const struct mapped *m, int why, struct err *err)
{
	return err_set(err, ERR_IO, "cannot write %s: %s", m->path, strerror(why));
}

int mapped_create(struct mapped *m, const char *path, struct err *err)
{
	*m = (struct mapped){ .path = path ? path : "a temporary file" };
	if (path) {
		m->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	} else {
		const char *dir = getenv("TMPDIR");
		struct buf name = { 0 };
		buf_printf(&name, "%s/heddle-XXXXXX", dir && *dir ? dir : "/tmp");
		m->fd = mkostemp(name.at, O_CLOEXEC);
		if (m->fd >= 0)
			unlink(name.at);
		buf_release(&name);
	}
	return m->fd < 0 ? fail(m, errno, err) : 0;
}

int mapped_extend(struct mapped *m, size_t bytes, struct err *err)
{
	size_t need = m->size + bytes;
	if (need > m->cap) {
		size_t step = m->cap < FIRST_STEP     ? FIRST_STEP
			      : m->cap < LARGEST_STEP ? m->cap
						      : LARGEST_STEP;
		size_t cap = m->cap + step < need ? need : m->cap + step;
		int why = posix_fallocate(m->fd, 0, (off_t)cap);
		if (why)
			return fail(m, why, err);
		void *at = m->at ? mremap(m->at, m->cap, cap, MREMAP_MAYMOVE)
				 : mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
		if (at == MAP_FAILED)
			return fail(m, errno, err);
		m->at = at;
		m->cap = cap;
		if (step == LARGEST_STEP)
			mapped_drop_pages(m);
	}
	m->size = need;
	return 0;
}

void mapped_drop_pages(const struct mapped *m)
{
	if (m->at)
		madvise(m->at, m->cap, MADV_DONTNEED);
}

int mapped_finish(struct mapped *m, struct err *err)
{
	return ftruncate(m->fd, (off_t)m->size) ? fail(m, errno, err) : 0;
}

void mapped_close(struct mapped *m)
{
	if (m->at)
		munmap(m->at, m->cap);
	if (m->path && m->fd >= 0)
		close(m->fd);
	*m = (struct mapped){ 0 };
}
