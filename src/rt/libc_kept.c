/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libc keeps for the program in the program's memory: obstacks, argument vectors, lists of
 * mounts, pictures of the call stack, passwords.
 */
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/ring.h"
#include "rt/sync.h"
#include "wire/wire.h"

/* ---- obstacks: macros in the program look at the object and at the head of its chunk ---- */

static void told_obstack(const struct obstack *stack, pc_t pc)
{
	libc_wrote_if_changed(stack, sizeof(*stack), pc);
	if (!stack->chunk)
		return;
	libc_wrote_if_changed(stack->chunk, offsetof(struct _obstack_chunk, contents), pc);
	libc_wrote_if_changed(stack->object_base, (size_t)(stack->next_free - stack->object_base),
			      pc);
}

WRAP(int, _obstack_begin,
     (struct obstack * stack, int size, int alignment, void *(*take)(long), void (*give)(void *)),
     (stack, size, alignment, take, give), READS_OBJECT(stack), told_obstack(stack, PC))
WRAP(int, _obstack_begin_1,
     (struct obstack * stack, int size, int alignment, void *(*take)(void *, long),
      void (*give)(void *, void *), void *argument),
     (stack, size, alignment, take, give, argument), READS_OBJECT(stack), told_obstack(stack, PC))
WRAP_VOID(_obstack_newchunk, (struct obstack * stack, int length), (stack, length),
	  READS_OBJECT(stack), told_obstack(stack, PC))
WRAP(int, _obstack_memory_used, (struct obstack * stack), (stack), READS_OBJECT(stack), NOTHING)
WRAP_VOID(obstack_free, (struct obstack * stack, void *object), (stack, object),
	  READS_OBJECT(stack), told_obstack(stack, PC))

/* ---- vectors of texts in one piece ---- */

static void wrote_vector(char *const *vector, const size_t *size, int error, pc_t pc)
{
	if (error)
		return;
	libc_wrote_if_changed(vector, sizeof(*vector), pc);
	libc_wrote_if_changed(size, sizeof(*size), pc);
	if (*size)
		libc_wrote_if_changed(*vector, *size, pc);
}

WRAP(error_t, argz_create_sep,
     (const char *restrict text, int separator, char **restrict to, size_t *restrict size),
     (text, separator, to, size), READS_TEXT(text), wrote_vector(to, size, result, PC))
WRAP(error_t, argz_create, (char *const *from, char **restrict to, size_t *restrict size),
     (from, to, size), libc_read_texts(from, PC), wrote_vector(to, size, result, PC))
WRAP(error_t, argz_append,
     (char **restrict vector, size_t *restrict size, const char *restrict more, size_t n),
     (vector, size, more, n), READS_OBJECT(vector);
     READS_OBJECT(size); READS(more, n), wrote_vector(vector, size, result, PC))
WRAP(error_t, argz_add, (char **restrict vector, size_t *restrict size, const char *restrict text),
     (vector, size, text), READS_OBJECT(vector);
     READS_OBJECT(size); READS_TEXT(text), wrote_vector(vector, size, result, PC))
WRAP(error_t, argz_insert,
     (char **restrict vector, size_t *restrict size, char *restrict before,
      const char *restrict text),
     (vector, size, before, text), READS_OBJECT(vector);
     READS_OBJECT(size); READS_TEXT(text), wrote_vector(vector, size, result, PC))
WRAP_VOID(argz_delete, (char **restrict vector, size_t *restrict size, char *restrict entry),
	  (vector, size, entry), READS_OBJECT(vector);
	  READS_OBJECT(size); READS_TEXT(entry), wrote_vector(vector, size, 0, PC))
WRAP_VOID(argz_stringify, (char *vector, size_t size, int separator), (vector, size, separator),
	  READS(vector, size), WROTE_CHANGES(vector, size))
WRAP(size_t, argz_count, (const char *vector, size_t size), (vector, size), READS(vector, size),
     NOTHING)
WRAP(char *, argz_next, (const char *restrict vector, size_t size, const char *restrict entry),
     (vector, size, entry), READS_TEXT(entry), NOTHING)
extern __typeof__(argz_count) __argz_count LIBC_ALIAS(argz_count);
extern __typeof__(argz_next) __argz_next LIBC_ALIAS(argz_next);
extern __typeof__(argz_stringify) __argz_stringify LIBC_ALIAS(argz_stringify);

/* ---- mounts ---- */

static void wrote_mount(const struct mntent *m, pc_t pc)
{
	if (!m)
		return;
	rt_libc_wrote(m, sizeof(*m), pc);
	libc_wrote_text(m->mnt_fsname, pc);
	libc_wrote_text(m->mnt_dir, pc);
	libc_wrote_text(m->mnt_type, pc);
	libc_wrote_text(m->mnt_opts, pc);
}

static void read_mount(const struct mntent *m, pc_t pc)
{
	rt_libc_read(m, sizeof(*m), pc);
	libc_read_text(m->mnt_opts, pc);
}

WRAP(FILE *, setmntent, (const char *path, const char *mode), (path, mode), READS_TEXT(path);
     READS_TEXT(mode); CHANGES(STREAMS), NOTHING)
WRAP(struct mntent *, getmntent, (FILE * stream), (stream), CHANGES(MOUNTS);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC);
     wrote_mount(result, PC))
WRAP(struct mntent *, getmntent_r,
     (FILE *restrict stream, struct mntent *restrict to, char *restrict buffer, int room),
     (stream, to, buffer, room), ROOM_OBJECT(to);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC);
     WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room > 0 ? (size_t)room : 0))
WRAP(int, addmntent, (FILE *restrict stream, const struct mntent *restrict mount), (stream, mount),
     read_mount(mount, PC);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC))
WRAP(char *, hasmntopt, (const struct mntent *mount, const char *option), (mount, option),
     read_mount(mount, PC);
     READS_TEXT(option), NOTHING)

RT_EXPORT int endmntent(FILE *stream)
{
	if (!libc_enter(PC))
		return REAL_FN(endmntent)(stream);
	libc_hidden(HIDDEN_STREAMS, true, PC);
	struct sync *lock = sync_find((uintptr_t)stream);
	if (lock && lock->owner == g.cur)
		sync_drop(lock, PC);
	return LIBC_CALL(REAL_FN(endmntent)(stream));
}

/* ---- the call stack ---- */

static void wrote_names(char *const *names, int n, pc_t pc)
{
	if (!names || n < 0)
		return;
	rt_libc_wrote(names, (size_t)n * sizeof(*names), pc);
	for (int i = 0; i < n; i++)
		libc_wrote_text(names[i], pc);
}

WRAP(int, backtrace, (void **to, int room), (to, room),
     ROOM(to, room > 0 ? (size_t)room * sizeof(*to) : 0),
     WROTE(to, result > 0 ? (size_t)result * sizeof(*to) : 0))
WRAP(char **, backtrace_symbols, (void *const *from, int n), (from, n),
     READS(from, n > 0 ? (size_t)n * sizeof(*from) : 0), wrote_names(result, n, PC))
WRAP_VOID(backtrace_symbols_fd, (void *const *from, int n, int fd), (from, n, fd),
	  READS(from, n > 0 ? (size_t)n * sizeof(*from) : 0), NOTHING)

/* ---- passwords ---- */

WRAP(char *, crypt, (const char *key, const char *salt), (key, salt), READS_TEXT(key);
     READS_TEXT(salt); CHANGES(BUFFER), WROTE_TEXT(result))
WRAP(char *, crypt_r, (const char *key, const char *salt, struct crypt_data *restrict data),
     (key, salt, data), READS_TEXT(key);
     READS_TEXT(salt); ROOM_OBJECT(data), WROTE_CHANGES(data, sizeof(*data)))

/* ---- keys of objects shared between processes, identifiers ---- */

WRAP(key_t, ftok, (const char *path, int project), (path, project), READS_TEXT(path), NOTHING)
WRAP(long, gethostid, (void), (), NOTHING, NOTHING)

/* ---- base 64 of the resolver ---- */

WRAP(int, __b64_ntop, (const unsigned char *from, size_t n, char *to, size_t room),
     (from, n, to, room), READS(from, n);
     ROOM(to, room ? 1 : 0), if (result >= 0) WROTE_TEXT(to))
WRAP(int, __b64_pton, (const char *from, unsigned char *to, size_t room), (from, to, room),
     READS_TEXT(from);
     ROOM(to, to &&room ? 1 : 0), WROTE(to, to &&result > 0 ? (size_t)result : 0))

/* ---- what a format of printf takes ---- */

WRAP(size_t, parse_printf_format, (const char *restrict format, size_t n, int *restrict types),
     (format, n, types), READS_TEXT(format),
     WROTE(types, (result < n ? result : n) * sizeof(*types)))
