/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as objects: opening, closing, buffering, positions. */
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/sync.h"
#include "wire/wire.h"

static FILE *opened(FILE *stream, pc_t pc)
{
	libc_hidden(HIDDEN_STREAMS, true, pc);
	if (stream)
		ev_sync(EV_OPEN, 0, 0, (uint64_t)REAL_FN(fileno)(stream), 0, pc);
	return stream;
}

RT_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	if (!libc_enter(PC))
		return REAL_FN(fopen)(path, mode);
	libc_read_string(path, PC);
	libc_read_string(mode, PC);
	return opened(LIBC_CALL(REAL_FN(fopen)(path, mode)), PC);
}

extern __typeof__(fopen) fopen64 LIBC_ALIAS(fopen);

RT_EXPORT FILE *fdopen(int fd, const char *mode)
{
	if (!libc_enter(PC))
		return REAL_FN(fdopen)(fd, mode);
	libc_read_string(mode, PC);
	FILE *stream = LIBC_CALL(REAL_FN(fdopen)(fd, mode));
	libc_hidden(HIDDEN_STREAMS, true, PC);
	return stream;
}

RT_EXPORT FILE *tmpfile(void)
{
	if (!libc_enter(PC))
		return REAL_FN(tmpfile)();
	return opened(LIBC_CALL(REAL_FN(tmpfile)()), PC);
}

extern __typeof__(tmpfile) tmpfile64 LIBC_ALIAS(tmpfile);

RT_EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(freopen)(path, mode, stream);
	if (path)
		libc_read_string(path, PC);
	libc_read_string(mode, PC);
	return opened(STREAM_CALL(stream, REAL_FN(freopen)(path, mode, stream)), PC);
}

extern __typeof__(freopen) freopen64 LIBC_ALIAS(freopen);

int stream_close(FILE *stream, pc_t pc)
{
	bool holds = stream_begin(stream, true, pc);
	libc_call_end();
	/* The lock ends with the stream, also one that this thread holds from before. */
	struct sync *lock = sync_find((uintptr_t)stream);
	if (holds || (lock && lock->owner == g.cur))
		sync_drop(lock, pc);
	libc_hidden(HIDDEN_STREAMS, true, pc);
	int fd = stream->_fileno;
	if (fd >= 0)
		ev_sync(EV_CLOSE, 0, 0, (uint64_t)fd, 0, pc);
	int rc = LIBC_CALL(REAL_FN(fclose)(stream));
	if (unlikely(stream_memories))
		stream_memory_closed(stream, pc);
	return rc;
}

RT_EXPORT int fclose(FILE *stream)
{
	return libc_enter(PC) ? stream_close(stream, PC) : REAL_FN(fclose)(stream);
}

RT_EXPORT int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(setvbuf)(stream, buffer, mode, size);
	int rc = STREAM_CALL(stream, REAL_FN(setvbuf)(stream, buffer, mode, size));
	if (!rc && mode != _IONBF)
		stream_has_buffer(stream, buffer, size, false);
	return rc;
}

RT_EXPORT void setbuf(FILE *restrict stream, char *restrict buffer)
{
	if (!stream_enter(stream, PC)) {
		REAL_FN(setbuf)(stream, buffer);
		return;
	}
	STREAM_CALL(stream, (REAL_FN(setbuf)(stream, buffer), 0));
	stream_has_buffer(stream, buffer, BUFSIZ, false);
}

RT_EXPORT void setbuffer(FILE *restrict stream, char *restrict buffer, size_t size)
{
	if (!stream_enter(stream, PC)) {
		REAL_FN(setbuffer)(stream, buffer, size);
		return;
	}
	STREAM_CALL(stream, (REAL_FN(setbuffer)(stream, buffer, size), 0));
	stream_has_buffer(stream, buffer, size, false);
}

RT_EXPORT int fseek(FILE *stream, long offset, int whence)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(fseek)(stream, offset, whence);
	return STREAM_CALL(stream, REAL_FN(fseek)(stream, offset, whence));
}

RT_EXPORT int fseeko(FILE *stream, off_t offset, int whence)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(fseeko)(stream, offset, whence);
	return STREAM_CALL(stream, REAL_FN(fseeko)(stream, offset, whence));
}

extern __typeof__(fseeko) fseeko64 LIBC_ALIAS(fseeko);

RT_EXPORT int fgetpos(FILE *restrict stream, fpos_t *restrict position)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(fgetpos)(stream, position);
	int rc = STREAM_CALL(stream, (libc_will_write(position, sizeof(*position), PC),
				      REAL_FN(fgetpos)(stream, position)));
	if (!rc)
		rt_libc_wrote(position, sizeof(*position), PC);
	return rc;
}

LIBC_SAME(fgetpos64, fgetpos)

RT_EXPORT int fsetpos(FILE *stream, const fpos_t *position)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(fsetpos)(stream, position);
	return STREAM_CALL(stream, (rt_libc_read(position, sizeof(*position), PC),
				    REAL_FN(fsetpos)(stream, position)));
}

LIBC_SAME(fsetpos64, fsetpos)
