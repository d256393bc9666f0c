/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as memory.  The content at the time of the mapping is input.  A replay has no file, so it
 * maps plain memory and fills it from the record; it goes where the caller wants it, the place
 * that the kernel chose in the recorded run being of no account to code without hooks, and fixed
 * for the program's own mappings.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rt/event.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"

static RT_STATE bool has_noted_sharing;
static RT_STATE size_t mapped_bytes;

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

static void map_content(struct call *c, size_t n)
{
	struct call plain = *c;
	plain.arg[2] = PROT_READ | PROT_WRITE;
	plain.arg[3] = (c->arg[3] & MAP_FIXED) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	plain.arg[4] = -1;
	plain.arg[5] = 0;
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
		outside_told(c, told);
		c->result = told;
		if (told >= 0)
			map_content(c, (size_t)told);
	} else {
		c->result = call_perform(c);
		bool failed = c->result < 0 && c->result > -4096;
		told = failed ? c->result : (int64_t)content_size(c);
		outside_told(c, told);
		if (!failed)
			keep_content(c, (size_t)told);
	}
	mapped_bytes = told > 0 ? (size_t)told : 0;
	if (told >= 0 && c->arg[3] & MAP_SHARED && c->arg[2] & PROT_WRITE && !has_noted_sharing) {
		has_noted_sharing = true;
		ev_note("a file is mapped shared: what others write to it is not seen as input");
	}
}
