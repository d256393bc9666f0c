/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536
#define RESERVE_MAX (1 << 26) /* buffers for larger files grow while they are read */

int file_read(const char *path, struct buf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
	struct stat st;
	bool is_sized = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
			st.st_size < RESERVE_MAX;
	buf_reserve(out, is_sized ? (size_t)st.st_size + 1 : CHUNK);
	out->at[out->len] = 0;
	ssize_t n;
	while ((n = read(fd, out->at + out->len, out->cap - out->len - 1)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int rc = err_set(err, ERR_IO, "cannot read %s: %s", path, strerror(errno));
			close(fd);
			return rc;
		}
		out->len += (size_t)n;
		if (out->cap - out->len < 2)
			buf_reserve(out, CHUNK);
		out->at[out->len] = 0;
	}
	close(fd);
	return 0;
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

int file_temporary(struct buf *path, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	size_t start = path->len;
	buf_printf(path, "%s/heddle-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path->at + start, O_CLOEXEC);
	if (fd < 0) {
		path->len = start;
		return err_set(err, ERR_IO, "cannot create a file in %s: %s",
			       dir && *dir ? dir : "/tmp", strerror(errno));
	}
	close(fd);
	return 0;
}

int file_write_fd(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	while (len) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_copy(const char *from, const char *to, struct err *err)
{
	bool is_stdin = !strcmp(from, "-");
	char chunk[65536];
	ssize_t n = 0;
	int rc = 0, in = is_stdin ? STDIN_FILENO : open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return err_set(err, ERR_IO, "cannot open %s: %s", from, strerror(errno));
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0)
		rc = err_set(err, ERR_IO, "cannot create %s: %s", to, strerror(errno));
	while (!rc && (n = read(in, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			rc = err_set(err, ERR_IO, "cannot read %s: %s",
				     is_stdin ? "standard input" : from, strerror(errno));
		int failed = n > 0 ? file_write_fd(out, chunk, (size_t)n) : 0;
		if (failed)
			rc = err_set(err, ERR_IO, "cannot write %s: %s", to, strerror(-failed));
	}
	if (out >= 0)
		close(out);
	if (!is_stdin)
		close(in);
	return rc;
}

int file_write(const char *path, const void *bytes, size_t len, struct err *err)
{
	if (!strcmp(path, "-")) {
		int failed = file_write_fd(1, bytes, len);
		return failed ? err_set(err, ERR_IO, "cannot write to standard output: %s",
					strerror(-failed))
			      : 0;
	}
	/* A device or pipe is written in place: renaming a file over it would destroy it. */
	struct stat st;
	bool in_place = !stat(path, &st) && !S_ISREG(st.st_mode);
	struct buf tmp = { 0 };
	if (in_place)
		buf_str(&tmp, path);
	else
		buf_printf(&tmp, "%s.%ld.tmp", path, (long)getpid());
	int rc = 0, failed = 0;
	int fd = open(tmp.at, O_WRONLY | O_CLOEXEC | (in_place ? 0 : O_CREAT | O_EXCL), 0666);
	if (fd < 0)
		failed = -errno;
	else
		failed = file_write_fd(fd, bytes, len);
	if (fd >= 0 && close(fd) && !failed)
		failed = -errno;
	if (!failed && !in_place && rename(tmp.at, path))
		failed = -errno;
	if (failed) {
		if (!in_place)
			unlink(tmp.at);
		rc = err_set(err, ERR_IO, "cannot write %s: %s", path, strerror(-failed));
	}
	buf_release(&tmp);
	return rc;
}

int file_find_own(const char *name, struct buf *path, struct err *err)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len <= 0)
		return err_set(err, ERR_IO, "cannot determine where heddle is installed");
	self[len] = 0;
	self[file_base_name(self) - self - 1] = 0;
	static const char *const places[] = { "", "/../lib/heddle" };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		buf_clear(path);
		buf_printf(path, "%s%s/%s", self, places[i], name);
		if (!access(path->at, R_OK))
			return 0;
	}
	return err_set(err, ERR_SUPPORT,
		       "heddle's own file %s is neither in %s nor in %s/../lib/heddle", name, self,
		       self);
}
