/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names; see names.h.  Source files are read once and kept as lines.  A file that was changed
 * after the program was built would show the wrong lines, so it is not shown.
 */
#include "report/names.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "report/frames.h"
#include "trace/inputs.h"
#include "base/file.h"
#include "trace/std.h"

struct names_file {
	char *path;
	struct buf text;   /* newlines replaced by NUL */
	VEC(size_t) lines; /* offsets in text */
};

void names_release(struct names *n)
{
	for (size_t i = 0; i < n->files.len; i++) {
		mem_free(n->files.at[i]->path);
		buf_release(&n->files.at[i]->text);
		vec_release(&n->files.at[i]->lines);
		mem_free(n->files.at[i]);
	}
	vec_release(&n->files);
	mem_free(n->cwd);
	n->cwd = NULL;
}

static const struct region *region_around(const struct names *n, uint64_t address)
{
	uint32_t id = trace_region_of(n->tables, address);
	return id ? &n->tables->regions.at[id] : NULL;
}

void names_thread(struct names *n, thr_id t, struct buf *out)
{
	if (std_thread_name(n->tables, t, out))
		return;
	buf_printf(out, "T%u", t);
	const struct scene_thread *thread = scene_thread(n->scene, t);
	if (thread && thread->name && thread->name[0]) {
		buf_printf(out, " '%s'", thread->name);
		return;
	}
	if (t == 0) {
		buf_str(out, " 'main'");
		return;
	}
	const struct region *r = thread && thread->start ? region_around(n, thread->start) : NULL;
	struct buf name = { 0 };
	if (r && r->kind == REGION_MODULE && n->source &&
	    source_data_name(n->source, r, thread->start - r->start, &name))
		buf_printf(out, " '%s'", name.at);
	buf_release(&name);
}

/* The standard streams are objects with another name inside libc: _IO_2_1_stdout_. */
static void unwrap_stream(struct buf *out, size_t from)
{
	static const char prefix[] = "_IO_2_1_";
	size_t n = sizeof(prefix) - 1;
	if (out->len - from <= n + 1 || memcmp(out->at + from, prefix, n) ||
	    out->at[out->len - 1] != '_')
		return;
	memmove(out->at + from, out->at + from + n, out->len - from - n - 1);
	out->len -= n + 1;
	out->at[out->len] = 0;
}

void names_object(struct names *n, uint64_t address, struct buf *out)
{
	if (std_object_name(n->tables, address, out))
		return;
	const struct region *r = region_around(n, address);
	size_t before = out->len;
	if (r && r->kind == REGION_MODULE && n->source &&
	    source_data_name(n->source, r, address - r->start, out)) {
		unwrap_stream(out, before);
		return;
	}
	/* The heap of a program under `heddle run` is no region. */
	const struct scene_block *b =
		!r || r->kind == REGION_HEAP ? scene_block_around(n->scene, address) : NULL;
	if (!b) {
		trace_text_address(n->tables, address, out);
		return;
	}
	buf_str(out, "heap[");
	names_place(n, names_own(n, b->made.loc, b->made.stack), out);
	buf_char(out, ']');
	if (address > b->start)
		buf_printf(out, "+%llu", (unsigned long long)(address - b->start));
}

void names_sync(struct names *n, uint64_t address, struct buf *out)
{
	const struct scene_sync *s = scene_sync(n->scene, address);
	buf_str(out, s ? names_sync_mode(s->mode) : "");
	names_object(n, address, out);
}

const char *names_sync_mode(unsigned mode)
{
	static const char *const words[] = {
#define SYNC_OBJECT(number, NAME, word, noun, HOLD, NEED) [number] = noun " ",
#include "wire/sync.def"
	};
	return mode && mode < sizeof(words) / sizeof(words[0]) ? words[mode] : "";
}

const char *names_path(struct names *n, const char *path)
{
	if (!n->cwd) {
		char here[4096];
		n->cwd = mem_strdup(getcwd(here, sizeof(here)) ? here : "");
	}
	size_t len = strlen(n->cwd);
	if (len > 1 && !strncmp(path, n->cwd, len) && path[len] == '/')
		return path + len + 1;
	return path;
}

const struct location *names_location(const struct names *n, loc_id loc)
{
	static char nothing[] = "";
	static const struct location unknown = { .function = nothing, .file = nothing };
	return loc && loc < n->tables->locations.len ? &n->tables->locations.at[loc] : &unknown;
}

loc_id names_own(const struct names *n, loc_id loc, stack_id stack)
{
	return frames_own(n->tables, loc, stack).loc;
}

void names_place(struct names *n, loc_id loc, struct buf *out)
{
	const struct location *l = names_location(n, loc);
	if (l->file[0]) {
		buf_printf(out, "%s:%u", names_path(n, l->file), l->line);
		return;
	}
	const char *module = l->region && l->region < n->tables->regions.len
				     ? n->tables->regions.at[l->region].path
				     : "";
	const char *base = file_base_name(module);
	if (base[0])
		buf_printf(out, "%s+0x%llx", base, (unsigned long long)l->offset);
	else if (l->line)
		/* of a trace that is not ours, which has no places */
		buf_printf(out, "line %u", l->line);
	else if (l->function[0])
		/* of a trace that is not ours, which has only this name */
		buf_printf(out, "place %s", l->function);
	else
		buf_str(out, "an unknown place");
}

static bool is_newer_than_program(const struct names *n, const char *path)
{
	struct stat source, program;
	if (!n->program || stat(n->program, &program) || stat(path, &source))
		return false;
	return source.st_mtim.tv_sec > program.st_mtim.tv_sec;
}

static struct names_file *load_file(struct names *n, const char *path)
{
	for (size_t i = 0; i < n->files.len; i++)
		if (!strcmp(n->files.at[i]->path, path))
			return n->files.at[i];
	struct names_file *f = mem_zero(1, sizeof(*f));
	f->path = mem_strdup(path);
	vec_push(&n->files, f);
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode) || is_newer_than_program(n, path) ||
	    file_read(path, &f->text, NULL)) {
		buf_clear(&f->text);
		return f;
	}
	for (size_t at = 0; at < f->text.len;) {
		vec_push(&f->lines, at);
		char *end = memchr(f->text.at + at, '\n', f->text.len - at);
		if (!end)
			break;
		*end = 0;
		at = (size_t)(end - f->text.at) + 1;
	}
	return f;
}

const char *names_source_line(struct names *n, loc_id loc)
{
	const struct location *l = names_location(n, loc);
	if (!l->file[0])
		return NULL;
	const struct names_file *f = load_file(n, l->file);
	if (!l->line || l->line > f->lines.len)
		return NULL;
	const char *text = f->text.at + f->lines.at[l->line - 1];
	text += strspn(text, " \t");
	return text[0] ? text : NULL;
}

/* ---- events ---- */

void names_value(struct names *n, const struct event *e, uint64_t v, struct buf *out)
{
	if (e->size <= 8 && e->flags & EVF_HASHED) {
		buf_char(out, '?');
	} else if (e->size > 8) {
		buf_printf(out, "%llu bytes", (unsigned long long)e->size);
	} else if (e->size == 8 && v > 0xffffff && trace_region_of(n->tables, v)) {
		buf_char(out, '&');
		names_object(n, v, out);
	} else if (e->size && e->size <= 8 && v >> (e->size * 8 - 1) & 1) {
		buf_printf(out, "%lld", (long long)(v << (64 - e->size * 8)) >> (64 - e->size * 8));
	} else {
		buf_printf(out, "%llu", (unsigned long long)v);
	}
}

static void add_access(struct names *n, const struct event *e, struct buf *out)
{
	buf_str(out, e->mode ? "atomic " : "");
	buf_str(out, e->kind == EV_READ ? "read " : e->kind == EV_WRITE ? "write " : "update ");
	names_object(n, e->obj, out);
	buf_str(out, e->kind == EV_RMW ? ": " : " = ");
	names_value(n, e, e->a, out);
	if (e->kind != EV_RMW || e->size > 8)
		return;
	buf_str(out, e->flags & EVF_FAILED ? " unchanged" : " -> ");
	if (!(e->flags & EVF_FAILED))
		names_value(n, e, e->b, out);
}

/* What the report calls an object inside libc.  If there are many of a kind, the address follows.
 */
static void add_hidden(struct names *n, const struct event *e, struct buf *out)
{
	static const char *const sentences[] = {
		[SYNC_STREAM] = "stream ",
		[SYNC_ONCE] = "once control ",
#define HIDDEN(number, NAME, word, sentence) [number] = sentence,
#include "wire/hidden.def"
	};
	const char *sentence =
		e->mode < sizeof(sentences) / sizeof(sentences[0]) ? sentences[e->mode] : NULL;
	buf_str(out, e->a ? "change " : "look at ");
	if (sentence)
		buf_str(out, sentence);
	if (!sentence || sentence[strlen(sentence) - 1] == ' ')
		names_object(n, e->obj, out);
}

/* What a thread does to a synchronisation object, before its name; NULL: another sentence says it.
 */
static const char *verb_of(const struct event *e)
{
	static const char *const verbs[EV_LIMIT] = {
#define SYNC_EVENT(NAME, footprint, publishes, receives, verb) [EV_##NAME] = verb,
#include "wire/sync.def"
	};
	bool waits = e->kind == EV_REQUEST || e->kind == EV_ASK, locks = e->kind == EV_ACQUIRE;
	if (e->mode == SYNC_RDLOCK && (waits || locks))
		return waits ? "wait to read" : "read-lock";
	if (e->mode == SYNC_WRLOCK && (waits || locks))
		return waits ? "wait to write" : "write-lock";
	if (e->kind == EV_TRY_FAIL && e->mode == SYNC_SEMAPHORE)
		return "fail to take";
	if (e->kind == EV_WAKE && e->b)
		return "wake by itself at";
	return e->kind < EV_LIMIT ? verbs[e->kind] : NULL;
}

void names_descriptor(uint64_t fd, unsigned call, struct buf *out)
{
	const char *name = call_name(call);
	if ((int64_t)fd >= 0)
		buf_printf(out, "descriptor %llu", (unsigned long long)fd);
	else
		buf_str(out, "something outside");
	if (name)
		buf_printf(out, " in %s", name);
}

void names_event(struct names *n, const struct event *e, struct buf *out)
{
	const char *verb = verb_of(e);
	const char *kind = event_kind_name(e->kind);
	struct event_shape shape = event_shape(e->kind);
	if (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW) {
		add_access(n, e, out);
		return;
	}
	if (e->kind == EV_HIDDEN) {
		add_hidden(n, e, out);
		return;
	}
	if (e->kind == EV_IO_WAIT) {
		buf_str(out, "wait for ");
		names_descriptor(e->a, (unsigned)e->b, out);
		return;
	}
	if (e->kind == EV_INPUT) {
		buf_printf(out, "%s gives %lld",
			   call_name((unsigned)e->b) ? call_name((unsigned)e->b) : kind,
			   (long long)e->a);
		return;
	}
	if (shape.a == OPERAND_THREAD && e->kind != EV_BEGIN) {
		buf_printf(out, "%s ",
			   e->kind == EV_FORK	     ? "start"
			   : e->kind == EV_JOIN_WAIT ? "wait to join"
						     : kind);
		names_thread(n, (thr_id)e->a, out);
		return;
	}
	buf_str(out, verb ? verb : kind ? kind : "?");
	if (shape.obj == OPERAND_NONE || shape.obj == OPERAND_PATH || e->kind == EV_FAILURE ||
	    !e->obj)
		return;
	buf_char(out, ' ');
	names_object(n, e->obj, out);
	if (e->kind == EV_ALLOC)
		buf_printf(out, ", %llu bytes", (unsigned long long)e->size);
}
