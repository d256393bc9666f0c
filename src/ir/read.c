/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the text form.  Numbers that name things are checked by ir_verify, except those that
 * reading itself follows: an element of a type or of a constant has a smaller number than what it
 * is part of, so types and constants are finite.
 */
#include "ir/read.h"

#include <string.h>

#include "ir/verify.h"
#include "ir/words.h"

struct reader {
	struct ir_module *m;
	const char *at, *end;
	unsigned line;
	/* the word that was read last, in the text */
	const char *word;
	size_t len;
	struct ir_func *func; /* whose body is being read */
	struct err *err;
};

static int refuse(struct reader *r, const char *what)
{
	return err_set(r->err, ERR_FORMAT, "line %u of the program's code: %s", r->line, what);
}

/* The next word of the line; false at its end. */
static bool next(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
	r->word = r->at;
	while (r->at < r->end && *r->at != ' ' && *r->at != '\t' && *r->at != '\n')
		r->at++;
	r->len = (size_t)(r->at - r->word);
	return r->len > 0;
}

static bool is(const struct reader *r, const char *word)
{
	return strlen(word) == r->len && !memcmp(word, r->word, r->len);
}

static bool decimal(const char *s, size_t len, uint64_t *out)
{
	*out = 0;
	if (!len || len > 20)
		return false;
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, (uint64_t)(s[i] - '0'), out))
			return false;
	return true;
}

static bool number(struct reader *r, uint64_t *out)
{
	return next(r) && decimal(r->word, r->len, out);
}

/* An index; `-` is IR_NONE. */
static bool small(struct reader *r, uint32_t *out)
{
	uint64_t n;
	*out = IR_NONE;
	if (!next(r))
		return false;
	if (is(r, "-"))
		return true;
	if (!decimal(r->word, r->len, &n) || n >= IR_CONST)
		return false;
	*out = (uint32_t)n;
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL if the next word is no string. */
static char *string(struct reader *r)
{
	if (!next(r) || r->len < 2 || r->word[0] != '"' || r->word[r->len - 1] != '"')
		return NULL;
	char *out = mem_alloc(r->len);
	size_t len = 0;
	for (size_t i = 1; i + 1 < r->len; i++) {
		char c = r->word[i];
		if (c == '\\') {
			int high = i + 3 < r->len ? digit(r->word[i + 1]) : -1;
			int low = high < 0 ? -1 : digit(r->word[i + 2]);
			if (low < 0 || !(high || low)) {
				mem_free(out);
				return NULL;
			}
			c = (char)(high * 16 + low);
			i += 2;
		}
		out[len++] = c;
	}
	out[len] = 0;
	return out;
}

static int choice(const char *word, size_t len, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return i;
	return -1;
}

static int read_type(struct reader *r)
{
	struct ir_type t = { 0 };
	int kind = next(r) ? choice(r->word, r->len, ir_words_type_kinds) : -1;
	if (kind < 0)
		return refuse(r, "an unknown kind of type");
	t.kind = (enum ir_type_kind)kind;
	bool is_good = true;
	uint64_t n;
	if (t.kind == IR_INT) {
		is_good = number(r, &n) && n <= 128;
		t.bits = is_good ? (uint32_t)n : 0;
	} else if (t.kind == IR_ARRAY || t.kind == IR_VECTOR) {
		is_good = small(r, &t.element) && number(r, &t.count);
	} else if (t.kind == IR_STRUCT) {
		is_good = number(r, &t.size) && number(r, &t.align);
		struct ir_field field;
		while (is_good && small(r, &field.type)) {
			is_good = number(r, &field.offset);
			vec_push(&t.fields, field);
		}
		is_good = is_good && !r->len;
	}
	is_good = is_good && ir_type_layout(r->m, &t);
	vec_push(&r->m->types, t);
	return is_good ? 0 : refuse(r, "a type without a possible layout");
}

static bool read_bytes(struct reader *r, struct ir_const *c)
{
	if (!next(r))
		return true; /* an empty array */
	if (r->len % 2)
		return false;
	vec_reserve(&c->bytes, r->len / 2);
	for (size_t i = 0; i < r->len; i += 2) {
		int high = digit(r->word[i]), low = digit(r->word[i + 1]);
		if (high < 0 || low < 0)
			return false;
		vec_push(&c->bytes, (char)(high * 16 + low));
	}
	return true;
}

static int read_const(struct reader *r)
{
	struct ir_const *c = vec_add(&r->m->consts);
	uint32_t element;
	bool is_good = small(r, &c->type);
	int kind = is_good && next(r) ? choice(r->word, r->len, ir_words_const_kinds) : -1;
	if (kind < 0)
		return refuse(r, "an unknown kind of constant");
	c->kind = (enum ir_const_kind)kind;
	switch (c->kind) {
	case IR_C_INT:
		is_good = number(r, &c->low);
		if (is_good && next(r))
			is_good = decimal(r->word, r->len, &c->high);
		break;
	case IR_C_GLOBAL:
	case IR_C_FUNC:
		is_good = small(r, &c->index) && number(r, &c->low);
		break;
	case IR_C_BYTES:
		is_good = read_bytes(r, c);
		break;
	case IR_C_LIST:
		while (small(r, &element)) {
			is_good = is_good && element < r->m->consts.len - 1;
			vec_push(&c->list, element);
		}
		is_good = is_good && !r->len;
		break;
	case IR_C_ZERO:
	case IR_C_UNDEF:
		break;
	}
	return is_good ? 0 : refuse(r, "a constant without a proper value");
}

static int read_global(struct reader *r)
{
	struct ir_global *g = vec_add(&r->m->globals);
	g->name = string(r);
	if (!g->name) {
		g->name = mem_strdup("");
		return refuse(r, "a global variable without a name");
	}
	if (!small(r, &g->type) || !number(r, &g->align) || !small(r, &g->init))
		return refuse(r, "a global variable without type, alignment and value");
	while (next(r)) {
		g->is_const |= is(r, "const");
		g->is_tls |= is(r, "tls");
		g->is_internal |= is(r, "internal");
	}
	return 0;
}

static int read_func(struct reader *r)
{
	struct ir_func *f = vec_add(&r->m->funcs);
	f->name = string(r);
	if (!f->name) {
		f->name = mem_strdup("");
		return refuse(r, "a function without a name");
	}
	if (!small(r, &f->returns) || !small(r, &f->unit))
		return refuse(r, "a function without type");
	while (next(r) && !is(r, "(")) {
		f->is_variadic |= is(r, "variadic");
		f->is_internal |= is(r, "internal");
		f->is_defined |= is(r, "defined");
	}
	uint32_t type;
	while (small(r, &type)) {
		vec_push(&f->params, type);
		vec_push(&f->registers, type);
	}
	if (!is(r, ")"))
		return refuse(r, "a function without parameters");
	r->func = f->is_defined ? f : NULL;
	return 0;
}

static int read_registers(struct reader *r)
{
	uint32_t type;
	while (small(r, &type))
		vec_push(&r->func->registers, type);
	return r->len ? refuse(r, "a register without a type") : 0;
}

static int read_block(struct reader *r)
{
	uint32_t number;
	if (!small(r, &number) || number != r->func->blocks.len)
		return refuse(r, "a block with another number than its own");
	vec_push(&r->func->blocks, ((struct ir_block){ (uint32_t)r->func->insts.len, 0 }));
	return 0;
}

/* What follows the word of an operation, separated by dots. */
static bool read_suffixes(struct ir_inst *i, const char *at, const char *end)
{
	const char *const *subs = i->op == IR_ICMP   ? ir_words_icmps
				  : i->op == IR_FCMP ? ir_words_fcmps
				  : i->op == IR_RMW  ? ir_words_rmws
						     : NULL;
	bool has_sub = !subs;
	while (at < end) {
		at++;
		const char *dot = memchr(at, '.', (size_t)(end - at));
		size_t len = (size_t)((dot ? dot : end) - at);
		int n;
		if (!has_sub && (n = choice(at, len, subs)) >= 0) {
			i->sub = (uint8_t)n;
			has_sub = true;
		} else if ((n = choice(at, len, ir_words_orders)) > 0) {
			i->order = (uint8_t)n;
		} else if (len == strlen("volatile") && !memcmp(at, "volatile", len)) {
			i->is_volatile = true;
		} else {
			return false;
		}
		at += len;
	}
	return has_sub;
}

static bool read_op(struct reader *r, struct ir_inst *i)
{
	const char *dot = memchr(r->word, '.', r->len);
	size_t len = dot ? (size_t)(dot - r->word) : r->len;
	for (int op = 0; op < IR_OPS; op++) {
		const char *word = ir_op_word((enum ir_op)op);
		if (strlen(word) == len && !memcmp(word, r->word, len)) {
			i->op = (uint16_t)op;
			return read_suffixes(i, r->word + len, r->word + r->len);
		}
	}
	return false;
}

/* An operand in the form %N, cN, bN or N; ir_verify checks that its kind is the right one. */
static bool read_operand(const struct reader *r, uint32_t *out)
{
	uint64_t n;
	bool has_prefix = *r->word == '%' || *r->word == 'c' || *r->word == 'b';
	if (!decimal(r->word + has_prefix, r->len - has_prefix, &n) || n >= IR_CONST - 1)
		return false;
	*out = (uint32_t)n | (*r->word == 'c' ? IR_CONST : 0);
	return true;
}

static bool read_signed(struct reader *r, int64_t *out)
{
	uint64_t n;
	if (!next(r))
		return false;
	bool is_negative = *r->word == '-';
	if (!decimal(r->word + is_negative, r->len - is_negative, &n))
		return false;
	*out = (int64_t)(is_negative ? -n : n);
	return true;
}

static bool read_tail(struct reader *r, struct ir_inst *i)
{
	do {
		if (is(r, "imm")) {
			if (!read_signed(r, &i->imm))
				return false;
		} else if (is(r, "site")) {
			if (!small(r, &i->site))
				return false;
		} else if (is(r, "at")) {
			if (!small(r, &i->place.file) || !small(r, &i->place.line) ||
			    !small(r, &i->place.column))
				return false;
		} else {
			return false;
		}
	} while (next(r));
	return true;
}

static int read_inst(struct reader *r)
{
	struct ir_func *f = r->func;
	struct ir_inst i = { .result = IR_NONE, .site = IR_NONE, .place.file = IR_NONE };
	if (*r->word == '%') {
		if (!read_operand(r, &i.result) || !next(r))
			return refuse(r, "a result that is no register");
	}
	if (!f->blocks.len || !read_op(r, &i))
		return refuse(r, "an unknown instruction");
	if (!small(r, &i.type))
		return refuse(r, "an instruction without type");
	i.first = (uint32_t)f->operands.len;
	uint32_t operand;
	while (next(r) && strchr("%cb0123456789", *r->word)) {
		if (!read_operand(r, &operand))
			return refuse(r, "an operand that is none");
		vec_push(&f->operands, operand);
		i.operands++;
	}
	if (r->len && !read_tail(r, &i))
		return refuse(r, "an instruction with unknown words at its end");
	vec_push(&f->insts, i);
	vec_last(&f->blocks).count++;
	return 0;
}

static int read_root(struct reader *r, bool is_start)
{
	uint32_t number;
	if (!small(r, &number))
		return refuse(r, "a function to be called at start or end without number");
	if (is_start)
		vec_push(&r->m->starts, number);
	else
		vec_push(&r->m->finishes, number);
	return 0;
}

static int read_name(struct reader *r, bool is_file)
{
	char *name = string(r);
	if (!name)
		return refuse(r, "a file or unit without name");
	if (is_file)
		vec_push(&r->m->files, name);
	else
		vec_push(&r->m->units, name);
	return 0;
}

static int read_line(struct reader *r)
{
	if (r->func) {
		if (is(r, "registers"))
			return read_registers(r);
		if (is(r, "block"))
			return read_block(r);
		if (is(r, "end")) {
			r->func = NULL;
			return 0;
		}
		return read_inst(r);
	}
	if (is(r, "file") || is(r, "unit"))
		return read_name(r, is(r, "file"));
	if (is(r, "type"))
		return read_type(r);
	if (is(r, "const"))
		return read_const(r);
	if (is(r, "global"))
		return read_global(r);
	if (is(r, "start") || is(r, "finish"))
		return read_root(r, is(r, "start"));
	if (is(r, "func"))
		return read_func(r);
	return refuse(r, "an unknown word");
}

int ir_read(struct ir_module *m, const char *text, size_t len, struct err *err)
{
	struct reader r = { .m = m, .at = text, .end = text + len, .line = 1, .err = err };
	uint64_t version;
	*m = (struct ir_module){ 0 };
	if (!next(&r) || !is(&r, "heddle-ir") || !number(&r, &version))
		return refuse(&r, "it does not begin with heddle-ir");
	if (version != 1)
		return err_set(err, ERR_VERSION,
			       "the program's code has a form of version %llu, not 1",
			       (unsigned long long)version);
	int rc = 0;
	while (!rc) {
		if (next(&r))
			return refuse(&r, "words behind the end of the line's content");
		if (r.at == r.end)
			break;
		r.at++;
		r.line++;
		if (next(&r))
			rc = read_line(&r);
	}
	if (!rc && r.func)
		rc = refuse(&r, "a function without end");
	return rc ? rc : ir_verify(m, err);
}
