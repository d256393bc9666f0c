/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as memory.  The content at the time of the mapping is input.  A replay has no file, so it
 * maps plain memory and fills it from the record; it goes where the caller wants it, the place
 * that the kernel chose in the recorded run being of no account to code without hooks, and fixed
 * for the program's own mappings.
 *
 * A file that is mapped shared can be mapped twice, and what the program writes to it appears in
 * the mapping.  So such files have numbers, in the order of their first mapping, which the record
 * has.  A replay maps a memory file for each, and what the program writes to a descriptor of the
 * file goes into it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "rt/event.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"

#define FILES 64    /* mapped shared that are followed; others get no number */
#define NO_NUMBER 0 /* the numbers of files begin with 1 */

/* In a recording the file itself, in a replay the memory file in its place. */
struct shared_file {
	dev_t device;
	ino_t inode;
	int memory;
};

static RT_STATE bool has_noted_sharing;
static RT_STATE size_t mapped_bytes;
static RT_STATE struct shared_file files[FILES];
static RT_STATE uint32_t file_count;

size_t outside_mapped(void)
{
	return mapped_bytes;
}

/* How much of the file a mapping shows. */
static size_t content_size(const struct call *c)
{
	struct stat st;
	long offset = c->arg[5];
	if (sys3(SYS_fstat, c->arg[4], &st, 0) || st.st_size <= offset)
		return 0;
	size_t size = (size_t)(st.st_size - offset);
	return size < (size_t)c->arg[1] ? size : (size_t)c->arg[1];
}

static void keep_content(struct call *c, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t piece =
			n - done < sizeof(outside_copied) ? n - done : sizeof(outside_copied);
		long got =
			sys4(SYS_pread64, c->arg[4], outside_copied, piece, c->arg[5] + (long)done);
		/* it has shrunk since: zero, as far as the memory shows anything */
		if (got < (long)piece)
			rt_memset(outside_copied + (got > 0 ? got : 0), 0,
				  piece - (size_t)(got > 0 ? got : 0));
		outside_keep(c, outside_copied, piece);
		done += piece;
	}
}

/* ---- files that are mapped shared ---- */

static bool is_shared(const struct call *c)
{
	int type = (int)c->arg[3] & MAP_TYPE;
	return type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
}

/* The number of the file of a descriptor; `is_new`: give it one if it has none. */
static uint32_t number_of(int fd, bool is_new)
{
	struct stat st;
	if (sys3(SYS_fstat, fd, &st, 0) || !S_ISREG(st.st_mode))
		return NO_NUMBER;
	for (uint32_t i = 0; i < file_count; i++)
		if (files[i].device == st.st_dev && files[i].inode == st.st_ino)
			return i + 1;
	if (!is_new || file_count == FILES)
		return NO_NUMBER;
	files[file_count] = (struct shared_file){ st.st_dev, st.st_ino, -1 };
	return ++file_count;
}

static struct shared_file *file_of(int64_t number)
{
	return number > 0 && number <= file_count ? &files[number - 1] : NULL;
}

static void resize_at_least(const struct shared_file *f, size_t size)
{
	struct stat st;
	if (!sys3(SYS_fstat, f->memory, &st, 0) && st.st_size < (off_t)size)
		sys3(SYS_ftruncate, f->memory, (long)size, 0);
}

/* The memory file of a number from the record, -1: plain memory will do. */
static int memory_of(int64_t number, size_t size)
{
	if (number == file_count + 1 && number <= FILES) {
		long fd = sys3(SYS_memfd_create, "heddle", MFD_CLOEXEC, 0);
		if (fd < 0)
			rt_fatal("a replay cannot make the memory of a file that is mapped shared");
		files[file_count++].memory = (int)fd;
	}
	const struct shared_file *f = file_of(number);
	if (!f)
		return -1;
	resize_at_least(f, size);
	return f->memory;
}

/* Where a call has put bytes: its descriptor, and the place that it was given or -1: the
 * descriptor's own.  Whether it is such a call. */
static bool call_puts(const struct call *c, int64_t *place)
{
	*place = -1;
	switch (c->nr) {
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
		*place = c->arg[3];
		return c->result > 0;
	case SYS_write:
	case SYS_writev:
		return c->result > 0;
	case SYS_ftruncate:
		*place = c->arg[1];
		return !c->result;
	}
	return false;
}

static void repeat_in_memory(const struct call *c, const struct shared_file *f, int64_t place)
{
	size_t n = (size_t)c->result;
	struct stat st;
	switch (c->nr) {
	case SYS_write:
	case SYS_pwrite64:
		sys4(SYS_pwrite64, f->memory, c->arg[1], n, place);
		break;
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
		for (const struct iovec *v = (const void *)c->arg[1]; n; v++) {
			size_t here = v->iov_len < n ? v->iov_len : n;
			sys4(SYS_pwrite64, f->memory, v->iov_base, here, place);
			place += (int64_t)here;
			n -= here;
		}
		break;
	case SYS_ftruncate:
		/* What is beyond is zero when the file grows again; the mapping stays. */
		if (sys3(SYS_fstat, f->memory, &st, 0) || st.st_size <= place)
			break;
		sys3(SYS_ftruncate, f->memory, place, 0);
		sys3(SYS_ftruncate, f->memory, st.st_size, 0);
		break;
	}
}

void outside_put(struct call *c)
{
	int64_t place;
	if (!file_count || !call_puts(c, &place))
		return;
	int64_t number =
		outside_replays() ? outside_recall(c) : (int64_t)number_of((int)c->arg[0], false);
	outside_answered(c, number);
	const struct shared_file *f = file_of(number);
	if (!f)
		return;
	if (place < 0) {
		place = outside_replays() ? outside_recall(c)
					  : sys3(SYS_lseek, c->arg[0], 0, SEEK_CUR) - c->result;
		outside_answered(c, place);
	}
	if (outside_replays())
		repeat_in_memory(c, f, place);
}

/* ---- the mapping ---- */

static void map_content(struct call *c, size_t n)
{
	struct call plain = *c;
	plain.arg[2] = PROT_READ | PROT_WRITE;
	plain.arg[3] = (c->arg[3] & MAP_FIXED) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	plain.arg[4] = -1;
	plain.arg[5] = 0;
	int memory = -1;
	if (is_shared(c)) {
		int64_t number = outside_recall(c);
		outside_answered(c, number);
		memory = memory_of(number, (size_t)c->arg[5] + (size_t)c->arg[1]);
	}
	if (memory >= 0) {
		plain.arg[3] = (c->arg[3] & MAP_FIXED) | MAP_SHARED | MAP_NORESERVE;
		plain.arg[4] = memory;
		plain.arg[5] = c->arg[5];
	}
	c->result = call_perform(&plain);
	if (c->result < 0 && c->result > -4096)
		return;
	outside_feed(c, (void *)c->result, n);
	sys3(SYS_mprotect, c->result, c->arg[1], c->arg[2]);
}

void outside_map(struct call *c)
{
	int64_t told;
	if (outside_replays()) {
		told = outside_recall(c);
		outside_answered(c, told);
		c->result = told;
		if (told >= 0)
			map_content(c, (size_t)told);
	} else {
		c->result = call_perform(c);
		bool failed = c->result < 0 && c->result > -4096;
		told = failed ? c->result : (int64_t)content_size(c);
		outside_answered(c, told);
		if (!failed && is_shared(c))
			outside_answered(c, number_of((int)c->arg[4], true));
		if (!failed)
			keep_content(c, (size_t)told);
	}
	mapped_bytes = told > 0 ? (size_t)told : 0;
	if (told >= 0 && c->arg[3] & MAP_SHARED && c->arg[2] & PROT_WRITE && !has_noted_sharing) {
		has_noted_sharing = true;
		ev_note("a file is mapped shared: what others write to it is not seen as input");
	}
}
