/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams whose other side is memory or functions of the program's: open_memstream, fmemopen,
 * fopencookie, and buffers given by setvbuf.  See libc_stream.h.
 */
#include "rt/clock.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/shadow.h"
#include "wire/wire.h"

struct memory {
	FILE *stream;
	struct memory *next;
	char *buffer; /* fixed memory of `size` bytes, or NULL: */
	size_t size;
	char **place; /* where libc tells the address and the size of memory that grows */
	size_t *length;
	size_t unit; /* bytes of a character of it */
	bool is_read;
};

static RT_STATE struct memory *memories, *spare;
RT_STATE unsigned stream_memories;

static struct memory *memory_new(FILE *stream)
{
	if (!spare) {
		const unsigned batch = 64;
		struct memory *m = rt_map(batch * sizeof(*m));
		for (unsigned i = 0; i < batch; i++) {
			m[i].next = spare;
			spare = &m[i];
		}
	}
	struct memory *m = spare;
	spare = m->next;
	*m = (struct memory){ .stream = stream, .next = memories };
	memories = m;
	stream_memories++;
	return m;
}

static struct memory **memory_of(FILE *stream)
{
	struct memory **at = &memories;
	while (*at && (*at)->stream != stream)
		at = &(*at)->next;
	return at;
}

static void memory_free(struct memory **at)
{
	struct memory *m = *at;
	*at = m->next;
	m->next = spare;
	spare = m;
	stream_memories--;
}

void stream_has_buffer(FILE *stream, char *buffer, size_t size, bool is_read)
{
	struct memory **at = memory_of(stream);
	if (*at)
		memory_free(at);
	if (!buffer)
		return;
	struct memory *m = memory_new(stream);
	m->buffer = buffer;
	m->size = size;
	m->is_read = is_read;
}

/* Reading goes to the memory when what was taken over before is used up. */
void stream_memory_before(FILE *stream, pc_t pc)
{
	struct memory *m = *memory_of(stream);
	if (m && m->is_read && stream->_IO_read_ptr >= stream->_IO_read_end)
		rt_libc_read(m->buffer, m->size, pc);
}

/*
 * The rest of a stream's state is inside libc, where no store waits in a buffer, and both change
 * together: so this is not buffered either.  The stream's lock is given back after it, and the
 * buffer was empty when it was taken (stream_begin()).
 */
static void wrote_if_changed(const void *p, size_t n, pc_t pc)
{
	if (!rt_memcmp(p, (const void *)SHADOW(p), n))
		return;
	rt_memcpy((void *)SHADOW(p), p, n);
	clock_saw_write((uintptr_t)p, n);
	ev_access(EV_WRITE, p, n, MODE_PLAIN, EVF_LIBC, pc);
}

static void tell(const struct memory *m, pc_t pc)
{
	if (m->buffer) {
		wrote_if_changed(m->buffer, m->size, pc);
		return;
	}
	wrote_if_changed(m->place, sizeof(*m->place), pc);
	wrote_if_changed(m->length, sizeof(*m->length), pc);
	if (*m->place)
		wrote_if_changed(*m->place, (*m->length + 1) * m->unit, pc);
}

void stream_memory_after(FILE *stream, pc_t pc)
{
	struct memory *m = *memory_of(stream);
	if (m)
		tell(m, pc);
}

void stream_memory_closed(FILE *stream, pc_t pc)
{
	struct memory **at = memory_of(stream);
	if (!*at)
		return;
	tell(*at, pc);
	memory_free(at);
}

/* ---- memory that grows ---- */

static void grows(FILE *stream, char **place, size_t *length, size_t unit, pc_t pc)
{
	libc_hidden(HIDDEN_STREAMS, true, pc);
	if (!stream)
		return;
	struct memory *m = memory_new(stream);
	m->place = place;
	m->length = length;
	m->unit = unit;
	tell(m, pc);
}

WRAP(FILE *, open_memstream, (char **place, size_t *length), (place, length), ROOM_OBJECT(place);
     ROOM_OBJECT(length), grows(result, place, length, 1, PC))
WRAP(FILE *, open_wmemstream, (wchar_t * *place, size_t *length), (place, length),
     ROOM_OBJECT(place);
     ROOM_OBJECT(length), grows(result, (char **)place, length, sizeof(wchar_t), PC))

/* ---- memory of the program's ---- */

static bool mode_reads(const char *mode)
{
	bool reads = *mode == 'r';
	for (; *mode; mode++)
		reads |= *mode == '+';
	return reads;
}

WRAP(FILE *, fmemopen, (void *buffer, size_t size, const char *mode), (buffer, size, mode),
     READS_TEXT(mode);
     READS(buffer, buffer &&*mode == 'a' ? size : 0), CHANGES(STREAMS);
     if (result) stream_has_buffer(result, buffer, size, mode_reads(mode));
     if (result && buffer) WROTE_CHANGES(buffer, size))

/* ---- functions of the program's: they are shown buffers that libc has filled ---- */

struct cookie {
	void *argument;
	cookie_io_functions_t functions;
	struct cookie *next;
};

static RT_STATE struct cookie *spare_cookies;

static ssize_t cookie_read(void *p, char *to, size_t n)
{
	struct cookie *c = p;
	return c->functions.read ? c->functions.read(c->argument, to, n) : 0;
}

static ssize_t cookie_write(void *p, const char *from, size_t n)
{
	struct cookie *c = p;
	if (!c->functions.write)
		return (ssize_t)n;
	if (g.active)
		rt_libc_wrote(from, n, g.hook_pc);
	return c->functions.write(c->argument, from, n);
}

static int cookie_seek(void *p, off64_t *offset, int whence)
{
	struct cookie *c = p;
	if (!c->functions.seek)
		return -1;
	if (g.active)
		rt_libc_wrote(offset, sizeof(*offset), g.hook_pc);
	return c->functions.seek(c->argument, offset, whence);
}

static int cookie_close(void *p)
{
	struct cookie *c = p;
	int result = c->functions.close ? c->functions.close(c->argument) : 0;
	c->next = spare_cookies;
	spare_cookies = c;
	return result;
}

static struct cookie *cookie_new(void *argument, const cookie_io_functions_t *functions)
{
	struct cookie *c = spare_cookies;
	if (c)
		spare_cookies = c->next;
	else
		c = rt_map(sizeof(*c));
	c->argument = argument;
	c->functions = *functions;
	return c;
}

RT_EXPORT FILE *fopencookie(void *restrict argument, const char *restrict mode,
			    cookie_io_functions_t functions)
{
	if (!libc_enter(PC))
		return REAL_FN(fopencookie)(argument, mode, functions);
	libc_read_string(mode, PC);
	libc_hidden(HIDDEN_STREAMS, true, PC);
	static const cookie_io_functions_t ours = { cookie_read, cookie_write, cookie_seek,
						    cookie_close };
	return LIBC_CALL(REAL_FN(fopencookie)(cookie_new(argument, &functions), mode, ours));
}
