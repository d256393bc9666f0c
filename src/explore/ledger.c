/* SPDX-License-Identifier: Apache-2.0 */
/* A search on disk, appended record by record, and read again; see ledger.h. */
#include "explore/ledger.h"
#include "explore/loops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

/* The file's first bytes: all but the last are the same in each version of the form. */
#define MAGIC 0x347265676465688aull
#define MAGIC_COMMON 7
#define PART_OF_TIME 0.01 /* that may be lost by an end at any moment */
#define SECONDS_MIN 0.5	  /* between two states */
#define COST_FACTOR 50	  /* a state takes at most this part of the time */
#define BYTES_IN_SECOND 65536.0
#define OPEN_TRIES 40 /* twentieths of a second */

enum record_kind { RECORD_IDENTITY = 1, RECORD_FOUND, RECORD_STATE };

struct record {
	uint64_t kind, length, check;
};

/* ---- records ---- */

static uint64_t check_of(uint64_t before, uint64_t kind, const void *bytes, size_t len)
{
	return hash_bytes(hash_mix(hash_mix(before, MAGIC + kind), len), bytes, len);
}

static void add_record(struct buf *out, uint64_t *check, enum record_kind kind,
		       const struct buf *bytes)
{
	*check = check_of(*check, kind, bytes->at, bytes->len);
	struct record r = { kind, bytes->len, *check };
	buf_add(out, &r, sizeof(r));
	buf_add(out, bytes->at, bytes->len);
}

/* The next whole record; false: there is none. */
static bool next_record(struct bytes *file, uint64_t *check, struct record *r,
			struct bytes *content)
{
	bytes_read(file, r, sizeof(*r));
	if (file->is_bad || r->length > file->left ||
	    check_of(*check, r->kind, file->at, r->length) != r->check)
		return false;
	*check = r->check;
	*content = (struct bytes){ file->at, (size_t)r->length, false };
	file->at += r->length;
	file->left -= (size_t)r->length;
	return true;
}

/* ---- the file ---- */

/* Whether the path still leads to it: another one may have come to its end, and removed it. */
static bool is_there(const struct ledger *l)
{
	struct stat open, named;
	return !fstat(l->fd, &open) && !stat(l->path, &named) && open.st_dev == named.st_dev &&
	       open.st_ino == named.st_ino;
}

/*
 * Locked for this process.  A process that was killed keeps its lock until its memory is released,
 * which takes a moment if there is much: a search that continues at once waits for that.
 */
static int open_file(struct ledger *l, unsigned tries, struct err *err)
{
	const struct timespec moment = { 0, 50000000 };
	for (;;) {
		l->fd = open(l->path, O_RDWR | O_CLOEXEC | (l->is_continued ? 0 : O_CREAT), 0666);
		if (l->fd < 0)
			return err_set(err, ERR_IO, "cannot open the ledger %s: %s", l->path,
				       strerror(errno));
		bool is_mine = !flock(l->fd, LOCK_EX | LOCK_NB);
		if (is_mine && is_there(l))
			return 0;
		close(l->fd);
		l->fd = -1;
		if (!tries--)
			return err_set(err, ERR_IO, "the ledger %s is used by another heddle check",
				       l->path);
		if (!is_mine)
			nanosleep(&moment, NULL);
	}
}

/* Other files are not overwritten: the file is empty, or begins as a ledger of any version. */
static int check_file(const struct ledger *l, struct err *err)
{
	uint64_t first = 0;
	ssize_t n = pread(l->fd, &first, MAGIC_COMMON, 0);
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read %s: %s", l->path, strerror(errno));
	if (n > 0 && memcmp(&first, &(uint64_t){ MAGIC }, (size_t)n) != 0)
		return err_set(err, ERR_IO,
			       "%s is not a ledger of heddle check, and is left as it is", l->path);
	return 0;
}

/* Append, or leave it as it was. */
static int append(struct ledger *l, const struct buf *bytes, struct err *err)
{
	int rc = lseek(l->fd, (off_t)l->size, SEEK_SET) < 0
			 ? -errno
			 : file_write_fd(l->fd, bytes->at, bytes->len);
	if (!rc && fdatasync(l->fd) && errno != EINVAL && errno != ENOSYS)
		rc = -errno;
	if (!rc) {
		l->size += bytes->len;
		return 0;
	}
	/* A reader ignores what is beyond the last intact record, so failing here does no harm. */
	if (ftruncate(l->fd, (off_t)l->size))
		errno = 0;
	return err_set(err, ERR_IO, "the ledger %s cannot be written: %s", l->path, strerror(-rc));
}

static int create(struct ledger *l, unsigned tries, struct err *err)
{
	int rc = open_file(l, tries, err);
	if (!rc)
		rc = check_file(l, err);
	if (rc && l->fd >= 0) {
		close(l->fd);
		l->fd = -1;
	}
	if (rc)
		return rc;
	struct buf out = { 0 };
	uint64_t magic = MAGIC, check = 0;
	buf_add(&out, &magic, sizeof(magic));
	add_record(&out, &check, RECORD_IDENTITY, &l->identity);
	if (ftruncate(l->fd, 0))
		rc = err_set(err, ERR_IO, "the ledger %s cannot be written: %s", l->path,
			     strerror(errno));
	if (!rc)
		rc = append(l, &out, err);
	l->check = check;
	if (rc) {
		close(l->fd);
		l->fd = -1;
	}
	buf_release(&out);
	return rc;
}

int ledger_open(struct ledger *l, struct err *err)
{
	l->fd = -1;
	if (l->is_continued)
		return open_file(l, OPEN_TRIES, err);
	return l->first_seconds > 0 ? 0 : create(l, OPEN_TRIES, err);
}

void ledger_close(struct ledger *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	buf_release(&l->identity);
}

void ledger_remove(struct ledger *l)
{
	if (l->fd >= 0)
		unlink(l->path);
}

void ledger_begin_again(struct ledger *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	l->size = l->check = 0;
	l->written = l->cost = 0;
	l->failures = l->outcomes = l->races = 0;
	l->has_state = false;
}

/* ---- reading ---- */

/* The first line that differs, as what the ledger has there. */
static int explain_identity(const struct ledger *l, const struct bytes *other, struct err *err)
{
	const char *mine = l->identity.at, *its = (const char *)other->at;
	size_t line = 0, at = 0;
	while (at < l->identity.len && at < other->left && mine[at] == its[at])
		if (mine[at++] == '\n')
			line = at;
	size_t end = line;
	while (end < other->left && its[end] != '\n')
		end++;
	return err_set(err, ERR_FORMAT, "the ledger %s belongs to another search: it has %.*s",
		       l->path, (int)(end - line), its + line);
}

/* Where the last state is, and what was found up to there. */
struct last_state {
	struct bytes state;
	uint64_t check, size;
	bool is_there;
};

static int read_records(struct ledger *l, const struct buf *file, struct explore_result *r,
			struct last_state *last, struct err *err)
{
	struct bytes all = { (const unsigned char *)file->at, file->len, false }, content;
	struct record record;
	uint64_t magic, check = 0;
	bytes_read(&all, &magic, sizeof(magic));
	if (magic != MAGIC && !memcmp(&magic, &(uint64_t){ MAGIC }, MAGIC_COMMON))
		return err_set(err, ERR_FORMAT,
			       "the ledger %s was written by another version of heddle", l->path);
	if (magic != MAGIC || !next_record(&all, &check, &record, &content) ||
	    record.kind != RECORD_IDENTITY)
		return err_set(err, ERR_FORMAT,
			       "%s is not a ledger of heddle check, or damaged at its beginning",
			       l->path);
	if (content.left != l->identity.len || memcmp(content.at, l->identity.at, content.left))
		return explain_identity(l, &content, err);
	*last = (struct last_state){ .check = check, .size = file->len - all.left };
	struct bytes found = { 0 };
	while (next_record(&all, &check, &record, &content)) {
		if (record.kind == RECORD_FOUND) {
			found = content;
		} else if (record.kind == RECORD_STATE) {
			if (!result_load_found(r, &found))
				return err_set(err, ERR_FORMAT,
					       "the ledger %s has findings that are not consistent",
					       l->path);
			*last = (struct last_state){ content, check, file->len - all.left, true };
		}
	}
	return 0;
}

int ledger_read(struct ledger *l, const struct explore_config *c, void *state,
		struct explore_result *r, struct err *err)
{
	if (!l->is_continued)
		return 0;
	struct buf file = { 0 };
	struct last_state last = { 0 };
	int rc = file_read(l->path, &file, err);
	if (!rc)
		rc = read_records(l, &file, r, &last, err);
	if (!rc && last.size < file.len)
		snprintf(l->note, sizeof(l->note),
			 "the ledger %s was cut at byte %llu: what follows is not whole", l->path,
			 (unsigned long long)last.size);
	if (!rc && !last.is_there)
		snprintf(l->note, sizeof(l->note),
			 "the ledger %s has no state yet: the search begins anew", l->path);
	if (!rc && last.is_there) {
		divided_load(c->divided, &last.state);
		loops_load(c->divided, &last.state);
		idle_load(c->idle, &last.state);
		rc = result_load_counts(r, &last.state) ? c->strategy->load(state, &last.state, err)
							: -ERR_FORMAT;
		if (rc)
			rc = err_set(err, ERR_FORMAT,
				     "the ledger %s has a state that is not consistent", l->path);
	}
	if (!rc && ftruncate(l->fd, (off_t)last.size))
		rc = err_set(err, ERR_IO, "the ledger %s cannot be written: %s", l->path,
			     strerror(errno));
	l->size = last.size;
	l->check = last.check;
	l->failures = r->failures.len;
	l->outcomes = r->outcomes.len;
	l->races = r->races.found.len;
	l->has_state = last.is_there;
	l->written = r->seconds;
	buf_release(&file);
	return rc;
}

/* ---- writing ---- */

bool ledger_is_due(const struct ledger *l, double seconds)
{
	double since = seconds - l->written;
	return seconds >= l->first_seconds && since >= SECONDS_MIN &&
	       since >= PART_OF_TIME * seconds && since >= COST_FACTOR * l->cost;
}

void ledger_write(struct ledger *l, const struct explore_config *c, const void *state,
		  const struct explore_result *r)
{
	struct err err;
	double start = clock_now_seconds();
	if (!c->strategy->save)
		return;
	int rc = l->fd < 0 ? create(l, 0, &err) : 0;
	struct buf out = { 0 }, part = { 0 };
	uint64_t check = l->check;
	if (!rc) {
		result_save_found(r, l->failures, l->outcomes, l->races, &part);
		add_record(&out, &check, RECORD_FOUND, &part);
		buf_clear(&part);
		divided_save(c->divided, &part);
		loops_save(c->divided, &part);
		idle_save(c->idle, &part);
		result_save_counts(r, &part);
		c->strategy->save(state, &part);
		add_record(&out, &check, RECORD_STATE, &part);
		rc = append(l, &out, &err);
	}
	l->written = r->seconds;
	l->cost = clock_now_seconds() - start;
	if (l->cost < (double)out.len / BYTES_IN_SECOND / COST_FACTOR)
		l->cost = (double)out.len / BYTES_IN_SECOND / COST_FACTOR;
	if (rc) {
		snprintf(l->failure, sizeof(l->failure), "%s", err.text);
	} else {
		l->failure[0] = 0;
		l->check = check;
		l->failures = r->failures.len;
		l->outcomes = r->outcomes.len;
		l->races = r->races.found.len;
		l->has_state = true;
	}
	buf_release(&out);
	buf_release(&part);
}
