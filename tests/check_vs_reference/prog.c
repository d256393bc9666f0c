/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of programs, both ways, driven by the operand letters of ops.def, so that what
 * prints also parses.
 *
 * Above 500 lines because each form is read and written side by side.
 */
#include "prog.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const op_names[OPS] = {
#define OP(NAME, name, operands) name,
#include "ops.def"
#undef OP
};
const char *const op_operands[OPS] = {
#define OP(NAME, name, operands) operands,
#include "ops.def"
#undef OP
};
static const char *const order_names[ORDERS] = { "plain", "rlx", "acq", "rel", "acqrel", "sc" };
static const char *const stdio_names[STDIOS] = { "", "full", "line", "none" };
static const char *const cmp_names[CMPS] = { "==", "!=", "<", ">=" };

static bool is_object(char letter)
{
	return strchr("mwkcsbuz", letter) && letter;
}

static unsigned object_limit(char letter)
{
	switch (letter) {
	case 'm':
		return MUTEXES;
	case 'w':
		return RWLOCKS;
	case 'k':
		return SPINS;
	case 'c':
		return CONDS;
	case 's':
		return SEMS;
	case 'u':
		return PROMISES;
	case 'z':
		return SIGNALS;
	default:
		return BARRIERS;
	}
}

bool prog_uses(const struct prog *p, enum op op)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++)
			if (p->code[t][i].op == op)
				return true;
	return false;
}

bool prog_uses_stdio(const struct prog *p)
{
	return prog_uses(p, OP_PUT) || prog_uses(p, OP_PUTLINE) || prog_uses(p, OP_FLUSH);
}

bool prog_uses_copies(const struct prog *p)
{
	return prog_uses(p, OP_COPY) || prog_uses(p, OP_MOVE) || prog_uses(p, OP_FILL);
}

bool prog_uses_signals(const struct prog *p)
{
	return prog_uses(p, OP_KILL) || prog_uses(p, OP_SIGWAIT) || prog_uses(p, OP_SUSPEND);
}

unsigned prog_loop_from(const struct prog *p, unsigned t, unsigned i)
{
	for (unsigned end = i + 1; end < p->len[t]; end++)
		if (p->code[t][end].op == OP_AGAIN && end - p->code[t][end].skip == i)
			return end;
	return 0;
}

/* The mutex of a wait is its second object. */
static uint8_t *object_of(struct insn *in, const char *letter)
{
	/* So is the signal that is sent. */
	return (*letter == 'm' && strchr(op_operands[in->op], 'c')) || *letter == 'z' ? &in->mutex
										      : &in->obj;
}

bool prog_uses_object(const struct prog *p, char kind, unsigned number)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++) {
			struct insn in = p->code[t][i];
			const char *at = strchr(op_operands[in.op], kind);
			if (at && *object_of(&in, at) == number)
				return true;
		}
	return false;
}

/* ---- printing ---- */

static void print_loc(const struct loc *l, FILE *out)
{
	switch (l->space) {
	case SPACE_GLOBAL:
		fprintf(out, " g%u:%u", l->offset, l->size);
		break;
	case SPACE_INDEXED:
		fprintf(out, " g[r%u%%%u]:%u", l->reg, l->count, l->size);
		break;
	case SPACE_STACK:
		fprintf(out, " s%u:%u", l->offset, l->size);
		break;
	case SPACE_POINTER:
		fprintf(out, " *q%u+%u:%u", l->reg, l->offset, l->size);
		break;
	}
}

static void print_cond(const struct cond *c, FILE *out)
{
	fprintf(out, " r%u %s %" PRIu64, c->reg, cmp_names[c->cmp], c->number);
}

static void print_operand(struct insn *in, const char *letter, FILE *out)
{
	switch (*letter) {
	case 'r':
		fprintf(out, " r%u", in->reg);
		break;
	case 'l':
	case 'd':
		print_loc(&in->loc, out);
		break;
	case 'f':
		fprintf(out, " g%u", in->from.offset);
		break;
	case 'v':
		fprintf(out, in->val.is_reg ? " r%" PRIu64 : " %" PRIu64, in->val.number);
		break;
	case 'i':
	case 'Z':
		fprintf(out, " %" PRIu64, in->imm);
		break;
	case 'o':
		fprintf(out, " %s", order_names[in->order]);
		break;
	case 'q':
		fprintf(out, " q%u", in->preg);
		break;
	case 'p':
		fprintf(out, " p%u", in->obj);
		break;
	case 'P':
		if (in->obj)
			fprintf(out, " pipe%u", in->obj);
		break;
	case 't':
		fprintf(out, " t%u", in->obj);
		break;
	case 'x':
		fprintf(out, " %c", (int)in->imm);
		break;
	case 'C':
		print_cond(&in->cond, out);
		break;
	case 'n':
		fprintf(out, " do %u", in->skip);
		break;
	case 'B':
		fprintf(out, " %u until", in->skip);
		break;
	case 'R':
		for (unsigned r = 0; r < REGS; r++)
			if (in->regs >> r & 1)
				fprintf(out, " r%u", r);
		break;
	default:
		fprintf(out, " %c%u", *letter, *object_of(in, letter));
	}
}

static void print_insn(struct insn in, FILE *out)
{
	if (in.prefix == PREFIX_AWAIT)
		fputs("await ", out);
	else if (in.prefix == PREFIX_RETRY)
		fprintf(out, "retry %u ", in.times);
	else if (in.prefix == PREFIX_ONCE)
		fprintf(out, "once %u ", in.times);
	fputs(op_names[in.op], out);
	for (const char *letter = op_operands[in.op]; *letter; letter++)
		print_operand(&in, letter, out);
	if (in.prefix == PREFIX_AWAIT || in.prefix == PREFIX_RETRY) {
		fputs(" until", out);
		print_cond(&in.cond, out);
	}
	fputc('\n', out);
}

void prog_print(const struct prog *p, FILE *out)
{
	for (unsigned s = 0; s < SEMS; s++)
		if (p->sem[s])
			fprintf(out, "sem %u %u\n", s, p->sem[s]);
	for (unsigned b = 0; b < BARRIERS; b++)
		if (p->barrier[b])
			fprintf(out, "barrier %u %u\n", b, p->barrier[b]);
	if (p->stdio)
		fprintf(out, "stdio %s\n", stdio_names[p->stdio]);
	for (unsigned z = 0; z < SIGNALS; z++)
		for (unsigned i = 0; i < p->handler_len[z]; i++) {
			fprintf(out, "handler %u ", z);
			print_insn(p->handler[z][i], out);
		}
	for (unsigned t = 0; t < p->threads; t++) {
		fprintf(out, "thread %u\n", t);
		for (unsigned i = 0; i < p->len[t]; i++) {
			fputc('\t', out);
			print_insn(p->code[t][i], out);
		}
	}
}

/* ---- parsing ---- */

struct parser {
	char words[24][24];
	unsigned count, at, line;
	char *error;
};

static bool fail(struct parser *ps, const char *format, ...)
{
	va_list ap;
	int n = snprintf(ps->error, 200, "line %u: ", ps->line);
	va_start(ap, format);
	vsnprintf(ps->error + n, 200 - (size_t)n, format, ap);
	va_end(ap);
	return false;
}

static const char *next_word(struct parser *ps)
{
	return ps->at < ps->count ? ps->words[ps->at++] : "";
}

static bool expect_word(struct parser *ps, const char *word)
{
	const char *got = next_word(ps);
	return !strcmp(got, word) || fail(ps, "'%s' instead of '%s'", got, word);
}

/* A number behind a letter, or behind nothing if the letter is 0. */
static bool number(struct parser *ps, char letter, uint64_t limit, uint64_t *out)
{
	const char *word = next_word(ps), *digits = word + (letter != 0);
	char *end;
	if ((letter && *word != letter) || !isdigit((unsigned char)*digits))
		return fail(ps, "'%s' is no number%s%c", word, letter ? " after " : "",
			    letter ? letter : ' ');
	*out = strtoull(digits, &end, 0);
	return (!*end && *out < limit) || fail(ps, "'%s' is not below %" PRIu64, word, limit);
}

static bool small(struct parser *ps, char letter, unsigned limit, uint8_t *out)
{
	uint64_t n;
	if (!number(ps, letter, limit, &n))
		return false;
	*out = (uint8_t)n;
	return true;
}

static bool name(struct parser *ps, const char *const *names, unsigned count, uint8_t *out)
{
	const char *word = next_word(ps);
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(word, names[i])) {
			*out = (uint8_t)i;
			return true;
		}
	return fail(ps, "'%s' is not known here", word);
}

static bool parse_loc(struct parser *ps, struct loc *l)
{
	const char *word = next_word(ps);
	unsigned a = 0, b = 0, size = 0;
	int n = 0;
	*l = (struct loc){ 0 };
	if (sscanf(word, "g%u:%u%n", &a, &size, &n) == 2 && !word[n])
		*l = (struct loc){ SPACE_GLOBAL, (uint8_t)a, (uint8_t)size, 0, 0 };
	else if (sscanf(word, "s%u:%u%n", &a, &size, &n) == 2 && !word[n])
		*l = (struct loc){ SPACE_STACK, (uint8_t)a, (uint8_t)size, 0, 0 };
	else if (sscanf(word, "g[r%u%%%u]:%u%n", &a, &b, &size, &n) == 3 && !word[n])
		*l = (struct loc){ SPACE_INDEXED, 0, (uint8_t)size, (uint8_t)a, (uint8_t)b };
	else if (sscanf(word, "*q%u+%u:%u%n", &a, &b, &size, &n) == 3 && !word[n])
		*l = (struct loc){ SPACE_POINTER, (uint8_t)b, (uint8_t)size, (uint8_t)a, 0 };
	else
		return fail(ps, "'%s' is no location", word);
	return true;
}

static bool parse_cond(struct parser *ps, struct cond *c)
{
	return small(ps, 'r', REGS, &c->reg) && name(ps, cmp_names, CMPS, &c->cmp) &&
	       number(ps, 0, UINT64_MAX, &c->number);
}

static bool parse_value(struct parser *ps, struct value *v)
{
	v->is_reg = ps->at < ps->count && ps->words[ps->at][0] == 'r';
	return v->is_reg ? number(ps, 'r', REGS, &v->number)
			 : number(ps, 0, UINT64_MAX, &v->number);
}

static bool parse_regs(struct parser *ps, uint8_t *regs)
{
	for (uint8_t r; ps->at < ps->count; *regs |= (uint8_t)(1u << r))
		if (!small(ps, 'r', REGS, &r))
			return false;
	return true;
}

static bool parse_letter(struct parser *ps, uint64_t *letter)
{
	const char *word = next_word(ps);
	*letter = (unsigned char)*word;
	return (islower((unsigned char)*word) && !word[1]) || fail(ps, "'%s' is no letter", word);
}

static bool parse_pipe(struct parser *ps, struct insn *in)
{
	if (ps->at == ps->count || strncmp(ps->words[ps->at], "pipe", 4))
		return true;
	char *digit = ps->words[ps->at++] + 4;
	in->obj = (uint8_t)(*digit - '0');
	return (in->obj < PIPES && !digit[1]) || fail(ps, "there is no pipe '%s'", digit);
}

static bool parse_operand(struct parser *ps, struct insn *in, const char *letter)
{
	switch (*letter) {
	case 'r':
		return small(ps, 'r', REGS, &in->reg);
	case 'l':
	case 'd':
		return parse_loc(ps, &in->loc);
	case 'f':
		in->from.size = in->loc.size;
		return small(ps, 'g', GLOBAL_BYTES, &in->from.offset);
	case 'v':
		return parse_value(ps, &in->val);
	case 'i':
		return number(ps, 0, UINT64_MAX, &in->imm);
	case 'Z':
		return number(ps, 0, 1u << SIGNALS, &in->imm);
	case 'o':
		return name(ps, order_names, ORDERS, &in->order);
	case 'q':
		return small(ps, 'q', PREGS, &in->preg);
	case 'p':
		return small(ps, 'p', PVARS, &in->obj);
	case 'P':
		return parse_pipe(ps, in);
	case 't':
		return small(ps, 't', THREADS_MAX, &in->obj);
	case 'x':
		return parse_letter(ps, &in->imm);
	case 'C':
		return parse_cond(ps, &in->cond);
	case 'n':
		return expect_word(ps, "do") && small(ps, 0, INSNS_MAX, &in->skip);
	case 'B':
		return small(ps, 0, INSNS_MAX, &in->skip) && expect_word(ps, "until");
	case 'R':
		return parse_regs(ps, &in->regs);
	}
	return small(ps, *letter, object_limit(*letter), object_of(in, letter));
}

static bool parse_prefix(struct parser *ps, struct insn *in)
{
	const char *word = ps->words[ps->at];
	if (!strcmp(word, "await"))
		in->prefix = PREFIX_AWAIT;
	else if (!strcmp(word, "retry"))
		in->prefix = PREFIX_RETRY;
	else if (!strcmp(word, "once"))
		in->prefix = PREFIX_ONCE;
	else
		return true;
	ps->at++;
	return in->prefix == PREFIX_AWAIT || small(ps, 0, 16, &in->times);
}

static bool parse_insn(struct parser *ps, struct insn *in)
{
	*in = (struct insn){ 0 };
	if (!parse_prefix(ps, in) || !name(ps, op_names, OPS, &in->op))
		return false;
	for (const char *letter = op_operands[in->op]; *letter; letter++)
		if (!parse_operand(ps, in, letter))
			return false;
	if (in->prefix == PREFIX_AWAIT || in->prefix == PREFIX_RETRY)
		if (!expect_word(ps, "until") || !parse_cond(ps, &in->cond))
			return false;
	return ps->at == ps->count || fail(ps, "'%s' is too much", ps->words[ps->at]);
}

static bool parse_line(struct parser *ps, struct prog *p)
{
	uint8_t number;
	const char *first = ps->words[0];
	if (!strcmp(first, "expect"))
		return true;
	if (!p->threads && (!strcmp(first, "sem") || !strcmp(first, "barrier"))) {
		bool is_sem = *first == 's';
		ps->at = 1;
		return small(ps, 0, is_sem ? SEMS : BARRIERS, &number) &&
		       small(ps, 0, 16, is_sem ? &p->sem[number] : &p->barrier[number]);
	}
	if (!p->threads && !strcmp(first, "stdio")) {
		ps->at = 1;
		return name(ps, stdio_names, STDIOS, &p->stdio);
	}
	if (!p->threads && !strcmp(first, "handler")) {
		ps->at = 1;
		if (!small(ps, 0, SIGNALS, &number))
			return false;
		if (p->handler_len[number] == HANDLER_MAX)
			return fail(ps, "more than %u instructions", HANDLER_MAX);
		return parse_insn(ps, &p->handler[number][p->handler_len[number]++]);
	}
	if (!strcmp(first, "thread")) {
		ps->at = 1;
		if (!small(ps, 0, THREADS_MAX, &number))
			return false;
		if (number != p->threads)
			return fail(ps, "thread %u instead of %u", number, p->threads);
		p->threads++;
		return true;
	}
	if (!p->threads)
		return fail(ps, "an instruction before the first thread");
	unsigned t = p->threads - 1u;
	if (p->len[t] == INSNS_MAX)
		return fail(ps, "more than %u instructions", INSNS_MAX);
	return parse_insn(ps, &p->code[t][p->len[t]++]);
}

/* The words of the line that ends at *text, which moves to the next one. */
static bool split_line(struct parser *ps, const char **text)
{
	const char *c = *text;
	ps->count = ps->at = 0;
	ps->line++;
	while (*c && *c != '\n' && *c != '#') {
		size_t n = strcspn(c, " \t\n#");
		if (n && (n >= sizeof(ps->words[0]) ||
			  ps->count == sizeof(ps->words) / sizeof(ps->words[0])))
			return fail(ps, "a word or the line is too long");
		if (n) {
			memcpy(ps->words[ps->count], c, n);
			ps->words[ps->count++][n] = 0;
		}
		c += n;
		c += strspn(c, " \t");
		if (ps->count && !strcmp(ps->words[0], "expect"))
			c += strcspn(c, "\n");
	}
	c += strcspn(c, "\n");
	*text = c + (*c == '\n');
	return true;
}

bool prog_parse(struct prog *p, const char *text, char error[200])
{
	struct parser ps = { .error = error };
	*p = (struct prog){ 0 };
	while (*text) {
		if (!split_line(&ps, &text) || (ps.count && !parse_line(&ps, p)))
			return false;
	}
	const char *wrong = prog_check(p);
	if (wrong)
		snprintf(error, 200, "%s", wrong);
	return !wrong;
}

/* ---- what holds for every program ---- */

static const char *check_loc(const struct loc *l)
{
	unsigned size = l->size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return "a location has a size other than 1, 2, 4 or 8";
	if (l->offset % size)
		return "a location is not aligned";
	switch (l->space) {
	case SPACE_GLOBAL:
		return l->offset + size > GLOBAL_BYTES ? "a location lies outside of the globals"
						       : NULL;
	case SPACE_INDEXED:
		return !l->count || l->count * size > GLOBAL_BYTES || l->reg >= REGS
			       ? "an index is too large"
			       : NULL;
	case SPACE_STACK:
		return l->offset + size > STACK_BYTES
			       ? "a location lies outside of the stack variable"
			       : NULL;
	}
	return l->offset + size > BLOCK_BYTES || l->reg >= PREGS
		       ? "a location lies outside of its block"
		       : NULL;
}

/* Bytes of the globals, as many as are copied; memcpy's do not overlap. */
static const char *check_copy(const struct insn *in)
{
	unsigned to = in->loc.offset, from = in->from.offset, size = in->loc.size;
	if (in->loc.space != SPACE_GLOBAL || !size || size > COPY_BYTES || to + size > GLOBAL_BYTES)
		return "what is filled or copied lies outside of the globals, or is too large";
	if (in->op == OP_FILL)
		return in->imm > 255 ? "what memory is filled with is no byte" : NULL;
	if (in->from.space != SPACE_GLOBAL || in->from.size != size || from + size > GLOBAL_BYTES)
		return "what is copied lies outside of the globals";
	return in->op == OP_COPY && to < from + size && from < to + size ? "what is copied overlaps"
									 : NULL;
}

static bool may_repeat(const struct insn *in)
{
	switch (in->op) {
	case OP_LOAD:
	case OP_XCHG:
	case OP_CAS:
	case OP_TRYLOCK:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
	case OP_SPINTRYLOCK:
	case OP_SEMTRYWAIT:
	case OP_CHOOSE:
		return in->cond.reg == in->reg;
	}
	return false;
}

/* What a loop may consist of: looks at memory and locks that leave nothing behind if they are
 * repeated. */
static bool may_be_in_loop(const struct insn *in)
{
	if (in->prefix != PREFIX_NONE)
		return false;
	switch (in->op) {
	case OP_LOAD:
	case OP_XCHG:
	case OP_CAS:
	case OP_FENCE:
	case OP_LOCK:
	case OP_UNLOCK:
	case OP_TRYLOCK:
	case OP_SPINLOCK:
	case OP_SPINUNLOCK:
	case OP_SPINTRYLOCK:
	case OP_SEMTRYWAIT:
	case OP_SLEEP:
	case OP_YIELD:
	case OP_RDLOCK:
	case OP_WRLOCK:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_IF:
	case OP_CHOOSE:
		return true;
	}
	return false;
}

static bool is_step(const struct insn *in)
{
	return in->op != OP_IF && in->op != OP_FENCE && in->op != OP_SLEEP && in->op != OP_YIELD;
}

/*
 * Each round has a step that others can notice, whatever is skipped, and a result of the loop
 * decides; no jump crosses the loop.
 */
static bool is_loop(const struct prog *p, unsigned t, unsigned end)
{
	const struct insn *in = p->code[t];
	bool decides = false, has_step = false;
	unsigned skipped = 0;
	if (!in[end].skip || in[end].skip > end)
		return false;
	unsigned begin = end - in[end].skip;
	for (unsigned i = begin; i < end; i++) {
		if (!may_be_in_loop(&in[i]))
			return false;
		if (in[i].op == OP_IF && i + 1u + in[i].skip > end)
			return false;
		has_step |= i >= skipped && is_step(&in[i]);
		if (in[i].op == OP_IF && i + 1u + in[i].skip > skipped)
			skipped = i + 1u + in[i].skip;
		decides |= strchr(op_operands[in[i].op], 'r') && in[i].reg == in[end].cond.reg;
	}
	for (unsigned i = 0; i < begin; i++) {
		unsigned target = i + 1u + in[i].skip;
		if (strchr(op_operands[in[i].op], 'n') && target > begin && target <= end)
			return false;
	}
	return decides && has_step;
}

static const char *check_insn(const struct prog *p, unsigned t, unsigned i)
{
	const struct insn *in = &p->code[t][i];
	const char *operands = op_operands[in->op];
	if (strchr(operands, 'n') && i + in->skip >= p->len[t])
		return "a block reaches past the end of its thread";
	if (in->op == OP_KILL && (in->obj >= p->threads || !p->handler_len[in->mutex]))
		return "a signal has no handler, or its receiver does not exist";
	if (in->op != OP_KILL && strchr(operands, 't') && (!in->obj || in->obj >= p->threads))
		return "a thread that does not exist is created or joined";
	if (in->op == OP_AGAIN && !is_loop(p, t, i))
		return "a loop has instructions that cannot be repeated, or none that it can end "
		       "by";
	if ((in->prefix == PREFIX_AWAIT || in->prefix == PREFIX_RETRY) && !may_repeat(in))
		return "this instruction cannot be repeated until that condition holds";
	if (in->op == OP_POINT &&
	    (in->loc.space == SPACE_POINTER || in->loc.space == SPACE_INDEXED || in->loc.size != 8))
		return "a pointer can only be given eight bytes of the globals or of the stack "
		       "variable";
	if (in->op == OP_CHOOSE && (!in->imm || in->imm > 8))
		return "a choice has 1 to 8 possibilities";
	if (in->prefix == PREFIX_RETRY && !in->times)
		return "a retry of no times";
	if (in->prefix == PREFIX_ONCE &&
	    (in->times >= ONCES || (in->op != OP_STORE && in->op != OP_ADD && in->op != OP_SAY) ||
	     (strchr(operands, 'l') && in->loc.space != SPACE_GLOBAL) ||
	     (in->op != OP_SAY && in->val.is_reg)))
		return "this is no routine for a one-time initialisation";
	if (strchr(operands, 'P') && in->obj >= PIPES)
		return "a pipe does not exist";
	if (strchr(operands, 'd'))
		return check_copy(in);
	return strchr(operands, 'l') ? check_loc(&in->loc) : NULL;
}

/*
 * Threads are created in order of the text, each once, not in blocks; who creates one may join it
 * later, once.
 */
static const char *check_threads(const struct prog *p)
{
	unsigned created[THREADS_MAX] = { 1 };
	for (unsigned t = 0; t < p->threads; t++) {
		unsigned own = 0, block = 0;
		for (unsigned i = 0; i < p->len[t]; i++) {
			const struct insn *in = &p->code[t][i];
			bool in_block = i < block;
			if (strchr(op_operands[in->op], 'n') && i + 1u + in->skip > block)
				block = i + 1u + in->skip;
			if (in->op == OP_CREATE && (in_block || in->obj <= t || created[in->obj]++))
				return "a thread is created in a block, by itself or a later one, "
				       "or twice";
			if (in->op == OP_CREATE)
				own |= 1u << in->obj;
			if (in->op == OP_JOIN && (in_block || !(own >> in->obj & 1)))
				return "a thread is joined in a block, twice, or by another than "
				       "its creator";
			if (in->op == OP_KILL && in->obj && in->obj != t && !(own >> in->obj & 1))
				return "a signal is sent to a thread that its creator has joined, "
				       "or by another one";
			if (in->op == OP_JOIN)
				own &= ~(1u << in->obj);
		}
	}
	return NULL;
}

const char *prog_check(const struct prog *p)
{
	if (!p->threads)
		return "there is no thread";
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++) {
			const struct insn *in = &p->code[t][i];
			const char *wrong = check_insn(p, t, i);
			if (wrong)
				return wrong;
			for (const char *letter = op_operands[in->op]; *letter; letter++) {
				struct insn copy = *in;
				if (is_object(*letter) &&
				    *object_of(&copy, letter) >= object_limit(*letter))
					return "an object does not exist";
			}
		}
	for (unsigned z = 0; z < SIGNALS; z++)
		for (unsigned i = 0; i < p->handler_len[z]; i++) {
			const struct insn *in = &p->handler[z][i];
			bool is_store = in->op == OP_STORE || in->op == OP_ADD;
			if (in->prefix || (!is_store && in->op != OP_SAY && in->op != OP_SEMPOST) ||
			    (is_store && (in->loc.space != SPACE_GLOBAL || in->val.is_reg ||
					  check_loc(&in->loc))))
				return "this is no instruction for a handler";
		}
	if (prog_uses(p, OP_BARRIER) && !p->barrier[0])
		return "the barrier has no number of threads";
	return check_threads(p);
}
