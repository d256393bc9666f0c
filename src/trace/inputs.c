/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of a run; see inputs.h.  A file of inputs is untrusted until it was read completely:
 * kinds, lengths and padding of all records are checked, and the witness has its hash.
 */
#include "trace/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"

#define CALLS 512

static const char *const names[CALLS] = {
#define CALL(number, name, class_, first, second) [number] = #name,
#include "wire/calls.def"
#undef CALL
};

const char *call_name(unsigned number)
{
	return number < CALLS ? names[number] : NULL;
}

unsigned call_by_name(const char *name, size_t len)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (names[i] && strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	return WIRE_NO_CALL;
}

void inputs_release(struct inputs *in)
{
	buf_release(&in->ahead);
	if (in->fd)
		close(in->fd);
	*in = (struct inputs){ 0 };
}

/* A temporary file without a name. */
static int unnamed_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && dir[0] ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : memfd_create("heddle-inputs", MFD_CLOEXEC);
}

static void spill(struct inputs *in)
{
	if (!in->fd) {
		in->fd = unnamed_file();
		if (in->fd < 0) {
			in->failed = errno;
			in->fd = 0;
			return;
		}
	}
	int failed = file_write_fd(in->fd, in->ahead.at, in->ahead.len);
	if (failed)
		in->failed = -failed;
	buf_clear(&in->ahead);
}

static void begin(struct inputs *in)
{
	if (in->size)
		return;
	buf_add(&in->ahead, WIRE_INPUTS_MAGIC, WIRE_INPUTS_START);
	in->size = WIRE_INPUTS_START;
}

static uint64_t padding(uint64_t len)
{
	return -len & 7;
}

void inputs_add_record(struct inputs *in, const struct wire_input *r, const void *bytes)
{
	begin(in);
	buf_add(&in->ahead, r, sizeof(*r));
	if (r->len)
		buf_add(&in->ahead, bytes, r->len);
	buf_fill(&in->ahead, 0, padding(r->len));
	in->size += sizeof(*r) + r->len + padding(r->len);
	in->records++;
	in->hash = hash_mix(hash_bytes(in->hash, r, sizeof(*r)), hash_bytes(0, bytes, r->len));
	if (in->ahead.len > INPUTS_IN_MEMORY && !in->failed)
		spill(in);
}

void inputs_add(struct inputs *in, const struct event *e)
{
	struct wire_input r = {
		.thread = e->thread,
		.kind = e->kind,
		.call = e->kind == EV_INPUT_DATA ? 0 : (uint16_t)e->b,
		.value = (int64_t)e->a,
		.len = e->data_len,
	};
	inputs_add_record(in, &r, e->data);
}

int inputs_file(struct inputs *in, int *fd, struct err *err)
{
	begin(in);
	if (in->ahead.len && !in->failed)
		spill(in);
	if (in->failed)
		return err_set(err, ERR_IO,
			       "cannot keep the program's inputs in a temporary file: %s",
			       strerror(in->failed));
	*fd = in->fd;
	return 0;
}

int inputs_save(struct inputs *in, const char *path, struct err *err)
{
	int from;
	int rc = inputs_file(in, &from, err);
	if (rc)
		return rc;
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int failed = to < 0 ? -errno : 0;
	char piece[65536];
	for (uint64_t at = 0; !failed && at < in->size;) {
		ssize_t n = pread(from, piece, sizeof(piece), (off_t)at);
		if (n <= 0)
			failed = n ? -errno : -EIO;
		else
			failed = file_write_fd(to, piece, (size_t)n);
		at += n > 0 ? (uint64_t)n : 0;
	}
	if (to >= 0 && close(to) && !failed)
		failed = -errno;
	return failed ? err_set(err, ERR_IO, "cannot write %s: %s", path, strerror(-failed)) : 0;
}

/* ---- reading ---- */

const struct wire_input *inputs_next(const struct inputs *in, const struct wire_input *r)
{
	if (!in->size || !in->ahead.len)
		return NULL;
	const char *end = in->ahead.at + in->ahead.len;
	const char *next = r ? (const char *)(r + 1) + r->len + padding(r->len)
			     : in->ahead.at + WIRE_INPUTS_START;
	return next < end ? (const struct wire_input *)(const void *)next : NULL;
}

struct source {
	const char *path;
	int fd;
	uint64_t at;
	struct err *err;
};

/* 1: all bytes were read; 0: the file ends before the first of them; negative: an error, or the
 * file ends within them. */
static int take(struct source *s, void *to, size_t len)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = pread(s->fd, (char *)to + done, len - done, (off_t)(s->at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(s->err, ERR_IO, "cannot read %s: %s", s->path,
				       strerror(errno));
		if (!n)
			break;
		done += (size_t)n;
	}
	if (done < len && done)
		return err_set(s->err, ERR_FORMAT, "%s is cut off in the record at byte %llu",
			       s->path, (unsigned long long)s->at);
	s->at += done;
	return done == len;
}

static bool is_sound(const struct wire_input *r)
{
	if (!inputs_has(r->kind) || r->thread >= 1u << 20)
		return false;
	return r->kind == EV_INPUT_DATA ? r->len && r->len <= WIRE_MAX_DATA && !r->call && !r->value
					: !r->len;
}

static int check_records(struct inputs *in, struct source *s)
{
	struct wire_input r;
	char *bytes = mem_alloc(WIRE_MAX_DATA + 8);
	int rc;
	while ((rc = take(s, &r, sizeof(r))) > 0) {
		uint64_t start = s->at - sizeof(r);
		bool sound = is_sound(&r);
		uint64_t padded = sound ? r.len + padding(r.len) : 0;
		rc = padded ? take(s, bytes, padded) : 1;
		if (!rc)
			rc = err_set(s->err, ERR_FORMAT, "%s is cut off in the record at byte %llu",
				     s->path, (unsigned long long)start);
		for (uint64_t i = r.len; rc > 0 && i < padded; i++)
			sound &= !bytes[i];
		if (rc > 0 && !sound)
			rc = err_set(s->err, ERR_FORMAT, "%s is damaged in the record at byte %llu",
				     s->path, (unsigned long long)start);
		if (rc < 0)
			break;
		in->records++;
		in->hash =
			hash_mix(hash_bytes(in->hash, &r, sizeof(r)), hash_bytes(0, bytes, r.len));
	}
	mem_free(bytes);
	return rc;
}

int inputs_open(struct inputs *in, const char *path, struct err *err)
{
	struct source s = { .path = path, .err = err };
	s.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s.fd < 0)
		return err_set(err, ERR_IO,
			       "cannot open %s, which has the inputs of the witness: %s", path,
			       strerror(errno));
	in->fd = s.fd;
	char magic[WIRE_INPUTS_START];
	int rc = take(&s, magic, sizeof(magic));
	if (rc >= 0 && (!rc || memcmp(magic, WIRE_INPUTS_MAGIC, sizeof(magic))))
		return err_set(
			err, ERR_FORMAT,
			"%s is not a file of inputs: it does not begin with 'heddle-inputs 1'",
			path);
	if (rc > 0)
		rc = check_records(in, &s);
	in->size = s.at;
	return rc;
}
