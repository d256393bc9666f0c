/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libc that programs of tests use.  Above 500 lines because of their table. */
#include <ctype.h>
#include <stdlib.h>

#include "interp/machine.h"

enum {
	MALLOC,
	CALLOC,
	REALLOC,
	FREE,
	ALIGNED,
	COPY,
	FILL,
	COMPARE,
	FIND_BYTE,
	LENGTH,
	S_COMPARE,
	N_COMPARE,
	S_COPY,
	N_COPY,
	S_APPEND,
	N_APPEND,
	S_FIND,
	S_FIND_LAST,
	S_INSIDE,
	S_SAVE,
	SPAN,
	CSPAN,
	TO_LONG,
	TO_ULONG,
	TO_INT,
	TO_DOUBLE,
	ABS,
	PRINT,
	F_PRINT,
	S_PRINT,
	N_PRINT,
	V_PRINT,
	VF_PRINT,
	VS_PRINT,
	VN_PRINT,
	PUTS,
	PUT_CHAR,
	F_PUTC,
	F_PUTS,
	F_WRITE,
	FLUSH,
	GET_CHAR,
	F_GETC,
	F_GETS,
	QUIT,
	QUIT_AT_ONCE,
	ABORT,
	ASSERT_FAIL,
	AT_EXIT,
	ENVIRONMENT,
	CTYPE,
	LOWER_TABLE,
	UPPER_TABLE,
	LOWER,
	UPPER,
	ERRNO,
};

static const struct {
	const char *name;
	int kind;
} names[] = {
	{ "malloc", MALLOC },
	{ "calloc", CALLOC },
	{ "realloc", REALLOC },
	{ "free", FREE },
	{ "aligned_alloc", ALIGNED },
	{ "memcpy", COPY },
	{ "memmove", COPY },
	{ "memset", FILL },
	{ "memcmp", COMPARE },
	{ "bcmp", COMPARE },
	{ "memchr", FIND_BYTE },
	{ "strlen", LENGTH },
	{ "strcmp", S_COMPARE },
	{ "strncmp", N_COMPARE },
	{ "strcpy", S_COPY },
	{ "strncpy", N_COPY },
	{ "strcat", S_APPEND },
	{ "strncat", N_APPEND },
	{ "strchr", S_FIND },
	{ "strrchr", S_FIND_LAST },
	{ "strstr", S_INSIDE },
	{ "strdup", S_SAVE },
	{ "strspn", SPAN },
	{ "strcspn", CSPAN },
	{ "strtol", TO_LONG },
	{ "strtoll", TO_LONG },
	{ "strtoul", TO_ULONG },
	{ "strtoull", TO_ULONG },
	{ "__isoc23_strtol", TO_LONG },
	{ "__isoc23_strtoul", TO_ULONG },
	{ "atoi", TO_INT },
	{ "atol", TO_INT },
	{ "atof", TO_DOUBLE },
	{ "abs", ABS },
	{ "labs", ABS },
	{ "printf", PRINT },
	{ "fprintf", F_PRINT },
	{ "sprintf", S_PRINT },
	{ "snprintf", N_PRINT },
	{ "vprintf", V_PRINT },
	{ "vfprintf", VF_PRINT },
	{ "vsprintf", VS_PRINT },
	{ "vsnprintf", VN_PRINT },
	{ "puts", PUTS },
	{ "putchar", PUT_CHAR },
	{ "putc", F_PUTC },
	{ "fputc", F_PUTC },
	{ "fputs", F_PUTS },
	{ "fwrite", F_WRITE },
	{ "fflush", FLUSH },
	{ "getchar", GET_CHAR },
	{ "getc", F_GETC },
	{ "fgetc", F_GETC },
	{ "fgets", F_GETS },
	{ "exit", QUIT },
	{ "_exit", QUIT_AT_ONCE },
	{ "_Exit", QUIT_AT_ONCE },
	{ "abort", ABORT },
	{ "__assert_fail", ASSERT_FAIL },
	{ "atexit", AT_EXIT },
	{ "getenv", ENVIRONMENT },
	{ "__ctype_b_loc", CTYPE },
	{ "__ctype_tolower_loc", LOWER_TABLE },
	{ "__ctype_toupper_loc", UPPER_TABLE },
	{ "tolower", LOWER },
	{ "toupper", UPPER },
	{ "__errno_location", ERRNO },
};

static enum outcome done(struct call *c, uint64_t value)
{
	*c->result = value;
	return OUTCOME_DONE;
}

static uint64_t new_block(struct machine *m, uint64_t size, uint64_t align)
{
	uint64_t at = space_allot(m, size, align);
	if (!at)
		machine_end(m, INTERP_LIMIT, "a block of %llu bytes does not fit into 1 GB",
			    (unsigned long long)size);
	else
		*map_put(&m->blocks, at, NULL) = size + 1;
	return at;
}

static bool free_block(struct machine *m, uint64_t at)
{
	uint64_t *size = map_get(&m->blocks, at);
	if (!size || !*size) {
		machine_end(m, INTERP_FAILED, "free of %s",
			    size ? "a block that is free" : "something that is no block");
		return false;
	}
	if (!FAULT(INTERP_FREED_STAYS_ALIVE))
		space_mark(m, at, *size - 1, false);
	*size = 0;
	return true;
}

static enum outcome heap(struct call *c)
{
	struct machine *m = c->m;
	uint64_t size = c->args[0], at;
	switch (c->kind) {
	case CALLOC:
		if (__builtin_mul_overflow(c->args[0], c->args[1], &size))
			return done(c, 0);
		break;
	case ALIGNED:
		size = c->args[1];
		if (!c->args[0] || c->args[0] & (c->args[0] - 1) || c->args[0] > 1 << 20)
			return done(c, 0);
		break;
	case FREE:
		return !c->args[0] || free_block(m, c->args[0]) ? done(c, 0) : OUTCOME_END;
	case REALLOC:
		size = c->args[1];
		break;
	default:
		break;
	}
	at = new_block(m, size, c->kind == ALIGNED && c->args[0] > 16 ? c->args[0] : 16);
	if (!at)
		return OUTCOME_END;
	if (c->kind == REALLOC && c->args[0]) {
		const uint64_t *old = map_get(&m->blocks, c->args[0]);
		if (old && *old)
			memcpy((void *)at, (void *)c->args[0], *old - 1 < size ? *old - 1 : size);
		if (!free_block(m, c->args[0]))
			return OUTCOME_END;
	}
	return done(c, at);
}

/* Bytes that a function may look at: up to `most`, to the first zero if it stops there. */
static bool text_of(struct machine *m, uint64_t at, uint64_t most, uint64_t *len)
{
	for (*len = 0; *len < most; ++*len) {
		if (!space_is_valid(m, at + *len, 1))
			return space_check(m, at + *len, 1, false);
		if (!*(const char *)(at + *len))
			break;
	}
	return true;
}

static enum outcome bytes(struct call *c)
{
	uint64_t a = c->args[0], b = c->args[1], n = c->args[2];
	switch (c->kind) {
	case COPY:
		if (!space_check(c->m, b, n, false) || !space_check(c->m, a, n, true))
			return OUTCOME_END;
		memmove((void *)a, (void *)b, n);
		return done(c, a);
	case FILL:
		if (!space_check(c->m, a, n, true))
			return OUTCOME_END;
		memset((void *)a, (int)b, n);
		return done(c, a);
	case COMPARE:
		if (!space_check(c->m, a, n, false) || !space_check(c->m, b, n, false))
			return OUTCOME_END;
		return done(c, (uint64_t)(int64_t)memcmp((void *)a, (void *)b, n));
	default:
		for (uint64_t i = 0; i < n; i++) {
			if (!space_check(c->m, a + i, 1, false))
				return OUTCOME_END;
			if (*(uint8_t *)(a + i) == (uint8_t)b)
				return done(c, a + i);
		}
		return done(c, 0);
	}
}

static enum outcome copy_text(struct call *c)
{
	bool is_append = c->kind == S_APPEND || c->kind == N_APPEND,
	     is_limited = c->kind == N_COPY || c->kind == N_APPEND;
	uint64_t to = c->args[0], len, before = 0, most = is_limited ? c->args[2] : UINT64_MAX;
	if (!text_of(c->m, c->args[1], most, &len) ||
	    (is_append && !space_string(c->m, to, &before)))
		return OUTCOME_END;
	uint64_t size = c->kind == N_COPY ? most : len + 1;
	if (!space_check(c->m, to + before, size, true))
		return OUTCOME_END;
	memmove((void *)(to + before), (void *)c->args[1], len);
	memset((void *)(to + before + len), 0, size - len);
	return done(c, to);
}

static int compare_text(const unsigned char *a, const unsigned char *b, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		if (a[i] != b[i] || !a[i])
			return a[i] - b[i];
	return 0;
}

static enum outcome text(struct call *c)
{
	const char *a = (const char *)c->args[0], *b = (const char *)c->args[1], *at = NULL;
	uint64_t most = c->kind == N_COMPARE ? c->args[2] : UINT64_MAX, len, other;
	bool has_second = c->kind == S_COMPARE || c->kind == N_COMPARE || c->kind == S_INSIDE ||
			  c->kind == SPAN || c->kind == CSPAN;
	if (!text_of(c->m, c->args[0], most, &len) ||
	    (has_second && !text_of(c->m, c->args[1], most, &other)))
		return OUTCOME_END;
	switch (c->kind) {
	case LENGTH:
		return done(c, len);
	case S_COMPARE:
	case N_COMPARE:
		return done(c, (uint64_t)(int64_t)compare_text((const void *)a, (const void *)b,
							       most < len + 1 ? most : len + 1));
	case S_FIND:
		at = strchr(a, (int)c->args[1]);
		break;
	case S_FIND_LAST:
		at = strrchr(a, (int)c->args[1]);
		break;
	case S_INSIDE:
		at = strstr(a, b);
		break;
	case SPAN:
		return done(c, strspn(a, b));
	case CSPAN:
		return done(c, strcspn(a, b));
	default:
		other = new_block(c->m, len + 1, 16);
		if (!other)
			return OUTCOME_END;
		memcpy((void *)other, a, len + 1);
		return done(c, other);
	}
	return done(c, (uint64_t)(uintptr_t)at);
}

static enum outcome number(struct call *c)
{
	uint64_t len;
	char *end = NULL;
	int64_t value = (int64_t)c->args[0];
	if (c->kind == ABS)
		return done(c, (uint64_t)(type_of(c->m, c->types[0])->bits == 32
						  ? llabs((int32_t)value)
						  : llabs(value)));
	if (!space_string(c->m, c->args[0], &len))
		return OUTCOME_END;
	const char *s = (const char *)c->args[0];
	if (c->kind == TO_DOUBLE) {
		double d = strtod(s, NULL);
		memcpy(&value, &d, 8);
		return done(c, (uint64_t)value);
	}
	if (c->kind == TO_INT)
		return done(c, (uint64_t)strtol(s, NULL, 10));
	value = c->kind == TO_LONG ? strtoll(s, &end, (int)c->args[2])
				   : (int64_t)strtoull(s, &end, (int)c->args[2]);
	if (c->args[1]) {
		if (!space_check(c->m, c->args[1], 8, true))
			return OUTCOME_END;
		memcpy((void *)c->args[1], &end, 8);
	}
	return done(c, (uint64_t)value);
}

/* Where a stream's output goes; NULL, and the execution ends, if it is another one. */
static struct buf *stream(struct machine *m, uint64_t at)
{
	if (at && at == m->streams[1])
		return &m->result->out;
	if (at && at == m->streams[2])
		return &m->result->errs;
	machine_end(m, INTERP_REFUSED, "another stream than standard output and error");
	return NULL;
}

static enum outcome print(struct call *c)
{
	bool is_list = c->kind >= V_PRINT;
	int kind = is_list ? c->kind - V_PRINT + PRINT : c->kind;
	uint32_t format = kind == PRINT ? 0 : kind == N_PRINT ? 2 : 1;
	uint64_t before = c->t->stack, arguments;
	struct buf own = { 0 };
	struct buf *out = kind == PRINT	    ? &c->m->result->out
			  : kind == F_PRINT ? stream(c->m, c->args[0])
					    : &own;
	if (!out)
		return OUTCOME_END;
	buf_str(&own, "");
	size_t len = out->len;
	if (is_list) {
		/* struct va_list: the third member */
		if (!space_check(c->m, c->args[format + 1], 24, false))
			return OUTCOME_END;
		memcpy(&arguments, (void *)(c->args[format + 1] + 8), 8);
	} else {
		arguments = format_arguments(c, format + 1);
	}
	bool is_good = format_print(c->m, c->args[format], arguments, out);
	space_mark(c->m, c->t->stack, before - c->t->stack, false);
	c->t->stack = before;
	uint64_t room = kind == N_PRINT ? c->args[1] : own.len + 1;
	if (is_good && out == &own && room) {
		uint64_t size = own.len + 1 < room ? own.len + 1 : room;
		is_good = space_check(c->m, c->args[0], size, true);
		if (is_good) {
			memcpy((void *)c->args[0], own.at, size - 1);
			((char *)c->args[0])[size - 1] = 0;
		}
	}
	*c->result = out->len - len;
	buf_release(&own);
	return is_good ? OUTCOME_DONE : OUTCOME_END;
}

static enum outcome output(struct call *c)
{
	struct buf *out = &c->m->result->out;
	uint64_t len;
	switch (c->kind) {
	case PUTS:
		if (!space_string(c->m, c->args[0], &len))
			return OUTCOME_END;
		buf_printf(out, "%s\n", (const char *)c->args[0]);
		return done(c, len + 1);
	case PUT_CHAR:
		buf_char(out, (char)c->args[0]);
		return done(c, (uint8_t)c->args[0]);
	case F_PUTC:
		out = stream(c->m, c->args[1]);
		if (out)
			buf_char(out, (char)c->args[0]);
		return out ? done(c, (uint8_t)c->args[0]) : OUTCOME_END;
	case F_PUTS:
		out = stream(c->m, c->args[1]);
		if (!out || !space_string(c->m, c->args[0], &len))
			return OUTCOME_END;
		buf_add(out, (const char *)c->args[0], len);
		return done(c, 1);
	case F_WRITE:
		out = stream(c->m, c->args[3]);
		if (!out || __builtin_mul_overflow(c->args[1], c->args[2], &len) ||
		    !space_check(c->m, c->args[0], len, false))
			return OUTCOME_END;
		buf_add(out, (const char *)c->args[0], len);
		return done(c, c->args[2]);
	default:
		return done(c, 0); /* FLUSH */
	}
}

static int next_char(struct machine *m)
{
	return m->stdin_at < m->input->stdin_len
		       ? (unsigned char)m->input->stdin_bytes[m->stdin_at++]
		       : -1;
}

static enum outcome input(struct call *c)
{
	struct machine *m = c->m;
	if (c->kind != GET_CHAR && c->args[c->kind == F_GETS ? 2 : 0] != m->streams[0])
		return machine_end(m, INTERP_REFUSED, "another stream than standard input");
	if (c->kind != F_GETS)
		return done(c, (uint64_t)(int64_t)next_char(m));
	uint64_t size = (uint32_t)c->args[1], len = 0;
	if (!space_check(m, c->args[0], size, true) || !size)
		return OUTCOME_END;
	char *to = (char *)c->args[0];
	int byte = 0;
	while (len + 1 < size && byte != '\n' && (byte = next_char(m)) >= 0)
		to[len++] = (char)byte;
	if (!len)
		return done(c, 0);
	to[len] = 0;
	return done(c, c->args[0]);
}

static enum outcome quit(struct call *c)
{
	struct machine *m = c->m;
	switch (c->kind) {
	case QUIT:
		if (m->m->finishes.len || m->exits.len)
			return machine_end(m, INTERP_REFUSED, "functions that run at the end");
		break;
	case ABORT:
		return machine_end(m, INTERP_FAILED, "abort");
	case ASSERT_FAIL:
		return machine_end(m, INTERP_FAILED, "the assertion %s fails",
				   space_holds(m, c->args[0], 1) ? (const char *)c->args[0] : "?");
	case AT_EXIT:
		vec_push(&m->exits, c->args[0]);
		return done(c, 0);
	case ENVIRONMENT:
		return done(c, 0);
	default:
		break;
	}
	m->result->status = (int)(c->args[0] & 255);
	return machine_end(m, INTERP_EXIT, " ");
}

/* The tables of the C locale, for indices from -128 on. */
static enum outcome tables(struct call *c)
{
	struct machine *m = c->m;
	uint64_t *known = c->kind == CTYPE	   ? &m->ctype
			  : c->kind == LOWER_TABLE ? &m->lower
						   : &m->upper;
	if (c->kind == LOWER || c->kind == UPPER) {
		int v = (int32_t)c->args[0];
		bool is_upper = v >= 'A' && v <= 'Z', is_lower = v >= 'a' && v <= 'z';
		return done(c,
			    (uint32_t)(c->kind == LOWER ? v + 32 * is_upper : v - 32 * is_lower));
	}
	if (c->kind == ERRNO) {
		if (!c->t->errno_at)
			c->t->errno_at = space_allot(m, 4, 4);
		return done(c, c->t->errno_at);
	}
	if (!*known) {
		unsigned size = c->kind == CTYPE ? 2 : 4;
		uint64_t table = space_allot(m, 384 * size, 8);
		const void *from = c->kind == CTYPE ? (const void *)(*__ctype_b_loc() - 128)
				   : c->kind == LOWER_TABLE
					   ? (const void *)(*__ctype_tolower_loc() - 128)
					   : (const void *)(*__ctype_toupper_loc() - 128);
		memcpy((void *)table, from, 384 * size);
		*known = space_allot(m, 8, 8);
		table += 128 * size;
		memcpy((void *)*known, &table, 8);
	}
	return done(c, *known);
}

static enum outcome run(struct call *c)
{
	int kind = c->kind;
	if (kind <= ALIGNED)
		return heap(c);
	if (kind <= FIND_BYTE)
		return bytes(c);
	if (kind >= S_COPY && kind <= N_APPEND)
		return copy_text(c);
	if (kind <= CSPAN)
		return text(c);
	if (kind <= ABS)
		return number(c);
	if (kind <= VN_PRINT)
		return print(c);
	if (kind <= FLUSH)
		return output(c);
	if (kind <= F_GETS)
		return input(c);
	return kind <= ENVIRONMENT ? quit(c) : tables(c);
}

builtin builtin_find(const char *name, int *kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name)) {
			*kind = names[i].kind;
			return run;
		}
	return NULL;
}
