/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered input; see input.h.  The buffer grows only by bytes that were actually read, so a
 * length field of a file cannot cause large allocations.
 */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define CHUNK 65536

int input_open(struct input *in, const char *path, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? 0 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
	*in = (struct input){ .fd = fd, .path = mem_strdup(is_stdin ? "standard input" : path) };
	return 0;
}

void input_close(struct input *in)
{
	if (in->fd > 0)
		close(in->fd);
	buf_release(&in->ahead);
	mem_free(in->path);
}

static ssize_t read_some(struct input *in, void *to, size_t len, struct err *err)
{
	ssize_t n;
	do {
		n = read(in->fd, to, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read %s: %s", in->path, strerror(errno));
	if (!n)
		in->at_eof = true;
	return n;
}

/* Drop the bytes that were taken, and read another chunk after the rest. */
static int read_ahead(struct input *in, struct err *err)
{
	char chunk[CHUNK];
	if (in->taken) {
		size_t left = in->ahead.len - in->taken;
		memmove(in->ahead.at, in->ahead.at + in->taken, left);
		in->ahead.len = left;
		in->ahead.at[left] = 0; /* the last line may have no newline */
		in->taken = 0;
	}
	ssize_t n = read_some(in, chunk, sizeof(chunk), err);
	if (n > 0)
		buf_add(&in->ahead, chunk, (size_t)n);
	return n < 0 ? (int)n : 0;
}

int input_take(struct input *in, void *to, size_t len, size_t *got, struct err *err)
{
	char *p = to;
	size_t left = in->ahead.len - in->taken;
	size_t n = left < len ? left : len;
	if (n)
		memcpy(p, in->ahead.at + in->taken, n);
	in->taken += n;
	while (n < len && !in->at_eof) {
		ssize_t more = read_some(in, p + n, len - n, err);
		if (more < 0)
			return (int)more;
		n += (size_t)more;
	}
	in->offset += n;
	*got = n;
	return 0;
}

int input_peek(struct input *in, size_t len, const char **bytes, size_t *got, struct err *err)
{
	while (in->ahead.len - in->taken < len && !in->at_eof) {
		int rc = read_ahead(in, err);
		if (rc)
			return rc;
	}
	size_t there = in->ahead.len - in->taken;
	*bytes = there ? in->ahead.at + in->taken : "";
	*got = there < len ? there : len;
	return 0;
}

int input_line(struct input *in, size_t max, char **line, size_t *len, struct err *err)
{
	size_t searched = 0;
	for (;;) {
		char *start = in->ahead.at ? in->ahead.at + in->taken : NULL;
		size_t there = in->ahead.len - in->taken;
		char *newline =
			there > searched ? memchr(start + searched, '\n', there - searched) : NULL;
		size_t so_far = newline ? (size_t)(newline - start) : there;
		if (so_far > max)
			return err_set(err, ERR_FORMAT, "%s, line %llu: the line is too long",
				       in->path, (unsigned long long)in->line + 1);
		if (newline) {
			*newline = 0;
			*line = start;
			*len = so_far;
			in->taken += so_far + 1;
			in->offset += so_far + 1;
			in->line++;
			return 1;
		}
		if (in->at_eof) {
			in->offset += there;
			in->taken += there;
			*line = start;
			*len = there;
			return 0;
		}
		searched = there;
		int rc = read_ahead(in, err);
		if (rc)
			return rc;
	}
}
