/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C back end: plain C, pthreads, atomics; and C++ (emit_cxx.c), which differs where an
 * instruction has an exact counterpart there.  The program to run is chosen by the first
 * argument; of a list, by heddle_choose().
 *
 * One instruction becomes one statement with one access or call that other threads can notice, so
 * that what the reference takes for a step is a step.  With optimisation plain accesses are
 * volatile, or the compiler would merge and move them, as it may; without, they are plain.
 * Atomics are the compiler's functions below those of stdatomic.h, whose macros put copies on the
 * stack that nobody needs.  Registers are local variables.  Output is one write() each.
 *
 * Above 500 lines because it is one table: the C text of each instruction.
 */
#include "emit_cxx.h"

#include <inttypes.h>
#include <string.h>

static const char prelude[] =
	"#define _GNU_SOURCE\n"
	"#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n"
	"#include <semaphore.h>\n#include <signal.h>\n"
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
	"#include <unistd.h>\n\n"
	"typedef unsigned char u1 __attribute__((may_alias));\n"
	"typedef unsigned short u2 __attribute__((may_alias));\n"
	"typedef unsigned int u4 __attribute__((may_alias));\n"
	"typedef unsigned long u8 __attribute__((may_alias));\n"
	"#ifdef __OPTIMIZE__\n#define PLAIN volatile\n#else\n#define PLAIN\n#endif\n\n"
	"static union { u1 b[32]; u8 words[4]; } g;\n"
	"static u1 *p[3];\n"
	"static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_mutex_t m2 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n"
	"static pthread_mutex_t m3 = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;\n"
	"static pthread_rwlock_t w0 = PTHREAD_RWLOCK_INITIALIZER, w1 =\n"
	"\tPTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;\n"
	"static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER, c1 = PTHREAD_COND_INITIALIZER;\n"
	"static pthread_once_t o0 = PTHREAD_ONCE_INIT;\n"
	"static pthread_spinlock_t k0;\n"
	"static sem_t s0, s1;\n"
	"static pthread_barrier_t b0;\n"
	"static int ends[2][2];\n"
	"static pthread_t h0;\n"
	"static const sigset_t sets[4] = {\n"
	"\t{ { 0 } }, { { 1ul << 9 } }, { { 1ul << 11 } }, { { 1ul << 9 | 1ul << 11 } },\n};\n"
	"static const struct timespec past = { 1, 0 };\n\n"
	"/* A number of bytes that no compiler knows: a call of memcpy stays one. */\n"
	"static inline size_t bytes(size_t n)\n{\n\t__asm__(\"\" : \"+r\"(n));\n\treturn n;\n}\n\n"
	"extern unsigned heddle_choose(unsigned n) __attribute__((weak));\n"
	"static unsigned choose(unsigned n)\n{\n"
	"\treturn heddle_choose ? heddle_choose(n) : (unsigned)getpid() % n;\n}\n\n"
	"/* Promises are C++'s: this has the same outcomes. */\n"
	"struct promise { pthread_mutex_t lock; pthread_cond_t is_there; int has_value; u8 value; "
	"};\n"
	"static struct promise promise0 = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "
	"0, 0 }, promise1 = {\n"
	"\tPTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };\n"
	"static u8 fulfil(struct promise *p, u8 value)\n{\n"
	"\tpthread_mutex_lock(&p->lock);\n\tu8 had = p->has_value;\n"
	"\tif (!had)\n\t\tp->value = value;\n\tp->has_value = 1;\n"
	"\tpthread_cond_broadcast(&p->is_there);\n\tpthread_mutex_unlock(&p->lock);\n\treturn "
	"had;\n}\n"
	"static u8 obtain(struct promise *p)\n{\n"
	"\tpthread_mutex_lock(&p->lock);\n\twhile (!p->has_value)\n"
	"\t\tpthread_cond_wait(&p->is_there, &p->lock);\n"
	"\tu8 value = p->value;\n\tpthread_mutex_unlock(&p->lock);\n\treturn value;\n}\n\n";

static bool is_cxx;

void emit_begin(bool as_cxx, FILE *out)
{
	is_cxx = as_cxx;
	fputs(as_cxx ? emit_cxx_prelude : prelude, out);
}

static const char *order(unsigned o)
{
	static const char *const names[ORDERS] = {
		"RELAXED", "RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST",
	};
	return names[o];
}

/* What a compare-exchange that fails is: a load. */
static const char *order_of_failure(unsigned o)
{
	return o == ORDER_REL ? "RELAXED" : o == ORDER_ACQ_REL ? "ACQUIRE" : order(o);
}

void emit_address(const struct loc *l, FILE *out)
{
	switch (l->space) {
	case SPACE_GLOBAL:
		fprintf(out, "(g.b + %u)", l->offset);
		break;
	case SPACE_INDEXED:
		fprintf(out, "(g.b + r%u %% %u * %u)", l->reg, l->count, l->size);
		break;
	case SPACE_STACK:
		fprintf(out, "(stack + %u)", l->offset);
		break;
	case SPACE_POINTER:
		fprintf(out, "(q%u + %u)", l->reg, l->offset);
		break;
	}
}

void emit_value(const struct value *v, FILE *out)
{
	fprintf(out, v->is_reg ? "r%" PRIu64 : "%" PRIu64 "ul", v->number);
}

static void emit_cond(const struct cond *c, FILE *out)
{
	static const char *const signs[CMPS] = { "==", "!=", "<", ">=" };
	fprintf(out, "r%u %s %" PRIu64 "ul", c->reg, signs[c->cmp], c->number);
}

/*
 * Call of an atomic function of this address up to its first operand.  Volatile, where compilers
 * optimise: clang makes a store of an exchange whose result is not used.
 */
static void emit_atomic(const char *function, const struct insn *in, FILE *out)
{
	fprintf(out, "%s((PLAIN u%u *)", function, in->loc.size);
	emit_address(&in->loc, out);
}

static void emit_memory(const struct insn *in, FILE *out)
{
	switch (in->op) {
	case OP_LOAD:
		fprintf(out, "r%u = ", in->reg);
		if (in->order == ORDER_PLAIN) {
			fprintf(out, "*(PLAIN u%u *)", in->loc.size);
			emit_address(&in->loc, out);
		} else {
			emit_atomic("__atomic_load_n", in, out);
			fprintf(out, ", __ATOMIC_%s)", order(in->order));
		}
		break;
	case OP_STORE:
		if (in->order == ORDER_PLAIN) {
			fprintf(out, "*(PLAIN u%u *)", in->loc.size);
			emit_address(&in->loc, out);
			fputs(" = ", out);
			emit_value(&in->val, out);
		} else {
			emit_atomic("__atomic_store_n", in, out);
			fputs(", ", out);
			emit_value(&in->val, out);
			fprintf(out, ", __ATOMIC_%s)", order(in->order));
		}
		break;
	case OP_ADD:
	case OP_XCHG:
		fprintf(out, "r%u = ", in->reg);
		emit_atomic(in->op == OP_ADD ? "__atomic_fetch_add" : "__atomic_exchange_n", in,
			    out);
		fputs(", ", out);
		emit_value(&in->val, out);
		fprintf(out, ", __ATOMIC_%s)", order(in->order));
		break;
	case OP_CAS:
		fprintf(out, "{ u%u e = %" PRIu64 "ul; ", in->loc.size, in->imm);
		emit_atomic("__atomic_compare_exchange_n", in, out);
		fputs(", &e, ", out);
		emit_value(&in->val, out);
		fprintf(out, ", 0, __ATOMIC_%s, __ATOMIC_%s); r%u = e; }", order(in->order),
			order_of_failure(in->order), in->reg);
		break;
	case OP_LOADP:
		if (in->order == ORDER_PLAIN)
			fprintf(out, "q%u = *(u1 *PLAIN *)&p[%u]", in->preg, in->obj);
		else
			fprintf(out, "q%u = __atomic_load_n(&p[%u], __ATOMIC_%s)", in->preg,
				in->obj, order(in->order));
		break;
	case OP_STOREP:
		if (in->order == ORDER_PLAIN)
			fprintf(out, "*(u1 *PLAIN *)&p[%u] = q%u", in->obj, in->preg);
		else
			fprintf(out, "__atomic_store_n(&p[%u], q%u, __ATOMIC_%s)", in->obj,
				in->preg, order(in->order));
		break;
	}
}

static void emit_print(const struct insn *in, FILE *out)
{
	fputs("{ char text[200]; int n = snprintf(text, sizeof(text), \"", out);
	for (unsigned r = 0, n = 0; r < REGS; r++)
		if (in->regs >> r & 1)
			fputs(n++ ? " %lx" : "%lx", out);
	fputs("\\n\"", out);
	for (unsigned r = 0; r < REGS; r++)
		if (in->regs >> r & 1)
			fprintf(out, ", r%u", r);
	fputs("); write(1, text, n); }", out);
}

/* Calls whose result is an error number, by the name of the function and the kind of object. */
static bool emit_lock(const struct insn *in, FILE *out)
{
	static const char *const functions[OPS] = {
		[OP_LOCK] = "mutex_lock(&m",
		[OP_TRYLOCK] = "mutex_trylock(&m",
		[OP_UNLOCK] = "mutex_unlock(&m",
		[OP_TIMEDLOCK] = "mutex_timedlock(&m",
		[OP_RDLOCK] = "rwlock_rdlock(&w",
		[OP_TRYRDLOCK] = "rwlock_tryrdlock(&w",
		[OP_TIMEDRDLOCK] = "rwlock_timedrdlock(&w",
		[OP_WRLOCK] = "rwlock_wrlock(&w",
		[OP_TRYWRLOCK] = "rwlock_trywrlock(&w",
		[OP_TIMEDWRLOCK] = "rwlock_timedwrlock(&w",
		[OP_RWUNLOCK] = "rwlock_unlock(&w",
		[OP_SPINLOCK] = "spin_lock(&k",
		[OP_SPINTRYLOCK] = "spin_trylock(&k",
		[OP_SPINUNLOCK] = "spin_unlock(&k",
	};
	if (!functions[in->op])
		return false;
	bool timed = in->op == OP_TIMEDLOCK || in->op == OP_TIMEDRDLOCK || in->op == OP_TIMEDWRLOCK;
	fprintf(out, "r%u = pthread_%s%u%s)", in->reg, functions[in->op], in->obj,
		timed ? ", &past" : "");
	return true;
}

/* Output, messages, memory functions and signals; false: it is none of these. */
static bool emit_outside(const struct insn *in, FILE *out)
{
	unsigned r = in->reg, obj = in->obj;
	switch (in->op) {
	case OP_SAY:
		fprintf(out, "write(1, \"%c\", 1)", (int)in->imm);
		break;
	case OP_PRINT:
		emit_print(in, out);
		break;
	case OP_PUT:
		fprintf(out, "putchar('%c')", (int)in->imm);
		break;
	case OP_PUTLINE:
		fprintf(out, "fputs(\"%c\\n\", stdout)", (int)in->imm);
		break;
	case OP_FLUSH:
		fputs("fflush(stdout)", out);
		break;
	case OP_SEND:
		fprintf(out, "write(ends[%u][1], \"%c\", 1)", obj, (int)in->imm);
		break;
	case OP_RECEIVE:
		fprintf(out, "{ u1 c = 0; read(ends[%u][0], &c, 1); r%u = c; }", obj, r);
		break;
	case OP_COPY:
	case OP_MOVE:
		fprintf(out, "mem%s(g.b + %u, g.b + %u, bytes(%u))",
			in->op == OP_COPY ? "cpy" : "move", in->loc.offset, in->from.offset,
			in->loc.size);
		break;
	case OP_FILL:
		fprintf(out, "memset(g.b + %u, %u, bytes(%u))", in->loc.offset, (unsigned)in->imm,
			in->loc.size);
		break;
	case OP_BLOCK:
		fprintf(out, "pthread_sigmask(SIG_BLOCK, &sets[%u], NULL)", (unsigned)in->imm);
		break;
	case OP_UNBLOCK:
		fprintf(out, "pthread_sigmask(SIG_UNBLOCK, &sets[%u], NULL)", (unsigned)in->imm);
		break;
	case OP_SUSPEND:
		fprintf(out, "sigsuspend(&sets[%u])", (unsigned)in->imm);
		break;
	case OP_SIGWAIT:
		fprintf(out, "{ int n = 0; sigwait(&sets[%u], &n); r%u = n == SIGUSR2; }",
			(unsigned)in->imm, r);
		break;
	case OP_PENDING:
		fprintf(out,
			"{ sigset_t s; sigpending(&s); "
			"r%u = (s.__val[0] >> 9 & 1) | (s.__val[0] >> 10 & 2); }",
			r);
		break;
	case OP_SLEEP:
		fputs("usleep(1)", out);
		break;
	case OP_YIELD:
		fputs("sched_yield()", out);
		break;
	default:
		return false;
	}
	return true;
}

static void emit_call(const struct insn *in, FILE *out)
{
	unsigned r = in->reg, obj = in->obj;
	if (is_cxx && emit_cxx_call(in, out))
		return;
	switch (in->op) {
	case OP_FULFIL:
		fprintf(out, "r%u = fulfil(&promise%u, ", r, obj);
		emit_value(&in->val, out);
		fputs(")", out);
		break;
	case OP_OBTAIN:
		fprintf(out, "r%u = obtain(&promise%u)", r, obj);
		break;
	case OP_WAIT:
		fprintf(out, "r%u = pthread_cond_wait(&c%u, &m%u)", r, obj, in->mutex);
		break;
	case OP_TIMEDWAIT:
		fprintf(out, "r%u = pthread_cond_timedwait(&c%u, &m%u, &past)", r, obj, in->mutex);
		break;
	case OP_SIGNAL:
		fprintf(out, "pthread_cond_signal(&c%u)", obj);
		break;
	case OP_BROADCAST:
		fprintf(out, "pthread_cond_broadcast(&c%u)", obj);
		break;
	case OP_SEMWAIT:
		fprintf(out, "r%u = sem_wait(&s%u) ? errno : 0", r, obj);
		break;
	case OP_SEMTRYWAIT:
		fprintf(out, "r%u = sem_trywait(&s%u) ? errno : 0", r, obj);
		break;
	case OP_SEMTIMEDWAIT:
		fprintf(out, "r%u = sem_timedwait(&s%u, &past) ? errno : 0", r, obj);
		break;
	case OP_SEMPOST:
		fprintf(out, "sem_post(&s%u)", obj);
		break;
	case OP_BARRIER:
		fprintf(out, "r%u = pthread_barrier_wait(&b%u) != 0", r, obj);
		break;
	case OP_FENCE:
		fprintf(out, "__atomic_thread_fence(__ATOMIC_%s)", order(in->order));
		break;
	case OP_JOIN:
		fprintf(out, "{ void *v; pthread_join(h%u, &v); r%u = (u8)v; }", obj, r);
		break;
	case OP_CHOOSE:
		fprintf(out, "r%u = choose(%u)", r, (unsigned)in->imm);
		break;
	case OP_EXIT:
		fprintf(out, "exit(%u)", (unsigned)in->imm);
		break;
	case OP_FREE:
		fprintf(out, "free(q%u)", in->preg);
		break;
	case OP_ALLOC:
		fprintf(out, "q%u = calloc(1, %u)", in->preg, BLOCK_BYTES);
		break;
	case OP_ASSERT:
		fputs("assert(", out);
		emit_cond(&in->cond, out);
		fputs(")", out);
		break;
	case OP_POINT:
		fprintf(out, "q%u = ", in->preg);
		emit_address(&in->loc, out);
		break;
	case OP_SET:
	case OP_SUM:
		fprintf(out, "r%u %s ", r, in->op == OP_SET ? "=" : "+=");
		emit_value(&in->val, out);
		break;
	default:
		if (!emit_outside(in, out) && !emit_lock(in, out))
			emit_memory(in, out);
	}
}

static void emit_repeated(const struct insn *in, FILE *out)
{
	fputs(in->prefix == PREFIX_AWAIT ? "do { " : "for (int i = 0; i < ", out);
	if (in->prefix == PREFIX_RETRY)
		fprintf(out, "%u; i++) { ", in->times);
	emit_call(in, out);
	fputs(in->prefix == PREFIX_AWAIT ? "; } while (!(" : "; if (", out);
	emit_cond(&in->cond, out);
	fputs(in->prefix == PREFIX_AWAIT ? "));\n" : ") break; }\n", out);
}

static void emit_insn(const struct prog *p, unsigned number, unsigned t, unsigned i, FILE *out)
{
	const struct insn *in = &p->code[t][i];
	fputs(prog_loop_from(p, t, i) ? "\tdo {\n\t" : "\t", out);
	if (in->op == OP_AGAIN) {
		fputs("} while (!(", out);
		emit_cond(&in->cond, out);
		fputs("));\n", out);
	} else if (in->op == OP_IF) {
		fputs("if (!(", out);
		emit_cond(&in->cond, out);
		fprintf(out, ")) goto l%u;\n", i + 1 + in->skip);
	} else if (in->op == OP_IFPTR) {
		fprintf(out, "if (!q%u) goto l%u;\n", in->preg, i + 1 + in->skip);
	} else if (in->op == OP_CREATE) {
		fprintf(out,
			is_cxx ? "h%u = new std::thread(p%u_t%u, stack);\n"
			       : "pthread_create(&h%u, NULL, p%u_t%u, stack);\n",
			in->obj, number, in->obj);
	} else if (in->op == OP_KILL && in->obj == t) {
		fprintf(out, "raise(SIGUSR%u);\n", in->mutex + 1u);
	} else if (in->op == OP_KILL) {
		fprintf(out, "pthread_kill(h%u, SIGUSR%u);\n", in->obj, in->mutex + 1u);
	} else if (in->op == OP_STOP) {
		fputs(t ? "goto end;\n" : "pthread_exit(NULL);\n", out);
	} else if (in->prefix == PREFIX_ONCE) {
		fprintf(out,
			is_cxx ? "std::call_once(o%u, p%u_o%u_%u);\n"
			       : "pthread_once(&o%u, p%u_o%u_%u);\n",
			in->times, number, t, i);
	} else if (in->prefix != PREFIX_NONE) {
		emit_repeated(in, out);
	} else {
		emit_call(in, out);
		fputs(";\n", out);
	}
}

/* ---- threads and programs ---- */

static const char registers[] =
	"\tu8 r0 = 0, r1 = 0, r2 = 0, r3 = 0, r4 = 0, r5 = 0, r6 = 0, r7 = 0;\n";

static void emit_routines(const struct prog *p, unsigned number, FILE *out)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++) {
			if (p->code[t][i].prefix != PREFIX_ONCE)
				continue;
			fprintf(out, "static void p%u_o%u_%u(void)\n{\n%s\t", number, t, i,
				registers);
			emit_call(&p->code[t][i], out);
			fputs(";\n}\n", out);
		}
}

static void emit_handlers(const struct prog *p, unsigned number, FILE *out)
{
	for (unsigned z = 0; z < SIGNALS; z++) {
		if (!p->handler_len[z])
			continue;
		fprintf(out, "static void p%u_z%u(int n)\n{\n%s", number, z, registers);
		for (unsigned i = 0; i < p->handler_len[z]; i++) {
			fputc('\t', out);
			emit_call(&p->handler[z][i], out);
			fputs(";\n", out);
		}
		fputs("}\n", out);
	}
}

static void emit_actions(const struct prog *p, unsigned number, FILE *out)
{
	for (unsigned z = 0; z < SIGNALS; z++)
		if (p->handler_len[z])
			fprintf(out,
				"\t{ struct sigaction a = { .sa_handler = p%u_z%u, .sa_flags = %s "
				"};\n"
				"\tsigaction(SIGUSR%u, &a, NULL); }\n",
				number, z, z ? "SA_RESTART" : "0", z + 1);
	if (prog_uses(p, OP_KILL))
		fputs("\th0 = pthread_self();\n", out);
}

static void emit_init(const struct prog *p, FILE *out)
{
	fputs("\tu1 room[8] __attribute__((aligned(8))) = { 0 }, *stack = room;\n", out);
	if (prog_uses_object(p, 'k', 0))
		fputs("\tpthread_spin_init(&k0, 0);\n", out);
	for (unsigned s = 0; s < SEMS; s++)
		if (prog_uses_object(p, 's', s))
			fprintf(out, "\tsem_init(&s%u, 0, %u);\n", s, p->sem[s]);
	for (unsigned n = 0; n < PIPES; n++)
		if (prog_uses_object(p, 'P', n))
			fprintf(out, "\tif (pipe(ends[%u]))\n\t\treturn 98;\n", n);
	static const char *const modes[STDIOS] = {
		[STDIO_FULL] = "_IOFBF", [STDIO_LINE] = "_IOLBF", [STDIO_NONE] = "_IONBF"
	};
	if (p->stdio)
		fprintf(out, "\tsetvbuf(stdout, NULL, %s, 1024);\n", modes[p->stdio]);
	if (prog_uses(p, OP_BARRIER))
		fprintf(out, "\tpthread_barrier_init(&b0, NULL, %u);\n", p->barrier[0]);
}

/* Some block ends here. */
static bool is_target(const struct prog *p, unsigned t, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (strchr(op_operands[p->code[t][i].op], 'n') && i + 1u + p->code[t][i].skip == at)
			return true;
	return false;
}

static void emit_thread(const struct prog *p, unsigned number, unsigned t, FILE *out)
{
	const char *begin = !t	     ? "static int p%u_t%u(void)\n{\n"
			    : is_cxx ? "static void p%u_t%u(u1 *stack)\n{\n"
				     : "static void *p%u_t%u(void *argument)\n{\n";
	fprintf(out, begin, number, t);
	fprintf(out, "%s\tu1 *q0 = NULL, *q1 = NULL;\n\t%s;\n", registers,
		is_cxx ? "std::thread *h1, *h2, *h3, *h4" : "pthread_t h1, h2, h3, h4");
	if (t)
		fputs(is_cxx ? "" : "\tu1 *stack = argument;\n", out);
	else
		emit_init(p, out);
	if (!t)
		emit_actions(p, number, out);
	for (unsigned i = 0; i < p->len[t]; i++) {
		if (is_target(p, t, i))
			fprintf(out, "l%u:;\n", i);
		emit_insn(p, number, t, i, out);
	}
	if (is_target(p, t, p->len[t]))
		fprintf(out, "l%u:\n", p->len[t]);
	static const char folded[] =
		"(r0 ^ (r1 << 16 | r1 >> 48) ^ (r2 << 32 | r2 >> 32) ^ (r3 << 48 | r3 >> 16))";
	if (t && is_cxx) /* what a join gives */
		fprintf(out, "end:\n\tresults[%u] = %s;\n}\n", t, folded);
	else if (t)
		fprintf(out, "end:\n\treturn (void *)%s;\n}\n", folded);
	else /* not a return: others may still use what lies in this frame */
		fputs("\texit(0);\n}\n", out);
}

void emit_program(const struct prog *p, unsigned number, FILE *out)
{
	fprintf(out, "/* program %u\n", number);
	prog_print(p, out);
	fputs("*/\n", out);
	for (unsigned t = 1; t < p->threads; t++)
		fprintf(out,
			is_cxx ? "static void p%u_t%u(u1 *stack);\n"
			       : "static void *p%u_t%u(void *argument);\n",
			number, t);
	emit_routines(p, number, out);
	emit_handlers(p, number, out);
	for (unsigned t = 0; t < p->threads; t++)
		emit_thread(p, number, t, out);
	fputc('\n', out);
}

/* Of a list one is chosen, which is said first; a number alone is that program. */
static const char choose_program[] =
	"static const char *choose_program(const char *list)\n{\n\tunsigned n = 0;\n"
	"\tfor (const char *c = list; (c = strchr(c, '" CHOSEN "')); c++)\n\t\tn++;\n"
	"\tif (!n)\n\t\treturn list;\n"
	"\tfor (n = choose(n); n; n--)\n\t\tlist = strchr(list, '" CHOSEN "') + 1;\n"
	"\twrite(1, list, strcspn(list, \"" CHOSEN "\") + 1);\n"
	"\treturn list;\n}\n\n";

void emit_end(unsigned count, FILE *out)
{
	fputs(choose_program, out);
	fputs("int main(int argc, char **argv)\n{\n\tswitch (argc > 1 ? "
	      "atoi(choose_program(argv[1])) : -1) {\n",
	      out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "\tcase %u: return p%u_t0();\n", i, i);
	fputs("\t}\n\treturn 99;\n}\n", out);
}
