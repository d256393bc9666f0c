/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hook audit: steps through the cases of a program one instruction at a time and compares
 * every load and store to shared memory with the hooks that the compiler put in front of them.
 *
 *   audit [-v] PROGRAM SOURCE...
 *
 * PROGRAM was linked from the corpus files SOURCE (names without folder),
 * tests/hooks_audit/main.c and a runtime. A case is a function case_NAME of the corpus.  The
 * program runs freely up to the entry of a case; from there only code of the corpus is stepped
 * and judged; a call that leaves it is understood by the name it reaches and run to its return.
 *
 * Why nothing is overlooked: control enters corpus code only at the entry of one of its functions
 * or at the return address of a call that it made (also by longjmp), and each of these has a
 * breakpoint.  In between every instruction is decoded before it is executed.
 *
 * Not judged, because no other thread can be disturbed by it: the own stack (from 128 bytes under
 * the stack pointer up), except ranges which the case passed to audit_share; memory that cannot
 * be written while the program runs (constants, jump tables, the GOT after relocation); the
 * thread control block (canary, self pointer).
 *
 * Output, tab-separated: "ran FILE CASE ACCESSES" for each case, then "gap FILE CASE WHAT SITES"
 * for each kind of gap in it, where SITES counts different places in the code.  With -v each
 * place is described on standard error.
 */
#include "../hooks_audit/decode.h"
#include "../hooks_audit/hooks.h"
#include "../hooks_audit/image.h"
#include "../hooks_audit/ledger.h"
#include "../hooks_audit/target.h"

#define RED_ZONE 128
#define THREAD_BLOCK_HEAD 0x30 /* self pointer, dtv, canary */
#define MAX_SHARED 16

struct audit {
	struct image image;
	struct target target;
	struct ledger ledger;
	const struct function *active; /* the case that runs */
	uint64_t entry_rsp, end;       /* its stack pointer at entry and return address */
	struct range stack;
	struct range shared[MAX_SHARED]; /* parts of the stack that were made shared */
	size_t shared_count;
	bool is_verbose;
};

static const struct function *own_function(const struct audit *a, uint64_t address)
{
	return image_own_function(&a->image, address - a->target.bias);
}

static bool is_judged(const struct audit *a, uint64_t address)
{
	const struct user_regs_struct *r = &a->target.regs;
	if (range_has(a->shared, a->shared_count, address))
		return true;
	if (address >= r->rsp - RED_ZONE && address < a->stack.end)
		return false;
	if (address - r->fs_base < THREAD_BLOCK_HEAD)
		return false;
	return !range_has(a->image.constants, a->image.constant_count, address - a->target.bias);
}

static void explain(const struct audit *a, enum gap gap, uint64_t pc, const struct instruction *in,
		    const char *detail)
{
	char text[256] = "";
	const struct function *f = image_own_function(&a->image, pc);
	if (!a->is_verbose)
		return;
	if (in)
		decode_print(in, pc, text, sizeof(text));
	fprintf(stderr, "%#llx\t%s\t%s\t%s\t%s+%#llx\t%s%s\n", (unsigned long long)pc,
		a->active->file, a->active->name, gap_name[gap], f->name,
		(unsigned long long)(pc - f->start), text, detail);
}

static void note_access(struct audit *a, const struct instruction *in, const struct access *access,
			uint64_t pc)
{
	enum gap gap;
	char detail[64];
	bool has_gap =
		ledger_access(&a->ledger, access->address, access->size, access->is_write, &gap);
	if (!is_judged(a, access->address))
		return;
	a->ledger.judged++;
	if (has_gap && ledger_gap(&a->ledger, gap, pc)) {
		snprintf(detail, sizeof(detail), "\t%s %u", access->is_write ? "store" : "load",
			 access->size);
		explain(a, gap, pc, in, detail);
	}
}

/*
 * The function that a call or jump out of the corpus reached, stepping through the linkage table
 * if it lies between.
 */
static const char *callee_name(struct audit *a, const struct instruction *in, bool *is_library)
{
	struct target *t = &a->target;
	const char *slot = NULL;
	if (in->access_count)
		slot = image_slot_name(&a->image, in->accesses[0].address - t->bias);
	while (range_has(a->image.plt, a->image.plt_count, t->regs.rip - t->bias)) {
		struct instruction stub;
		decode_instruction(&stub, &a->image, t->regs.rip - t->bias, &t->regs);
		if (stub.access_count)
			slot = image_slot_name(&a->image, stub.accesses[0].address - t->bias);
		if (!target_step(t))
			die("the program ended in its linkage table", a->active->name);
	}
	uint64_t pc = t->regs.rip - t->bias;
	const char *name = NULL;
	size_t len;
	*is_library = !image_code(&a->image, pc, &len);
	if (*is_library)
		return slot ? slot : "unknown";
	/* Aliases share an address: the one that means most is as good a name as any. */
	for (size_t i = image_lower_bound(&a->image, pc);
	     i < a->image.function_count && a->image.functions[i].start == pc; i++)
		if (!name || hook_meaning(a->image.functions[i].name).kind == CALL_ANNOUNCES)
			name = a->image.functions[i].name;
	return name ? name : "unknown";
}

static void note_share(struct audit *a)
{
	const struct user_regs_struct *r = &a->target.regs;
	if (a->shared_count == MAX_SHARED)
		die("too many shared ranges in", a->active->name);
	a->shared[a->shared_count++] = (struct range){ r->rdi, r->rdi + r->rsi };
}

static void note_library_call(struct audit *a, const char *name, uint64_t site)
{
	struct gap_site *g = ledger_gap(&a->ledger, GAP_LIBRARY, site);
	if (g) {
		g->library_function = name;
		explain(a, GAP_LIBRARY, site, NULL, name);
	}
}

static void note_call(struct audit *a, const char *name, bool is_library, uint64_t site)
{
	const struct user_regs_struct *r = &a->target.regs;
	struct call_meaning m = hook_meaning(name);
	if (!strcmp(name, "audit_share"))
		note_share(a);
	if (is_library && !hook_is_harmless_library_function(name))
		note_library_call(a, name, site);
	if (m.kind == CALL_NEUTRAL)
		return;
	ledger_tick(&a->ledger);
	uint64_t size = m.size ? m.size : r->rsi;
	if (m.kind == CALL_ANNOUNCES && m.reads)
		ledger_hook(&a->ledger, r->rdi, size, false, m.is_late, is_judged(a, r->rdi), site);
	if (m.kind == CALL_ANNOUNCES && m.writes)
		ledger_hook(&a->ledger, r->rdi, size, true, m.is_late, is_judged(a, r->rdi), site);
	if (m.kind == CALL_PERFORMS)
		a->ledger.judged++;
	if (hook_atomic_load_size(name))
		ledger_atomic_load(&a->ledger, r->rdi, hook_atomic_load_size(name));
	if (hook_is_copy(name))
		ledger_performed(&a->ledger, r->rsi, r->rdx, false);
	if (hook_is_copy(name) || hook_is_fill(name))
		ledger_performed(&a->ledger, r->rdi, r->rdx, true);
}

/* Execute one instruction of the corpus and judge it. */
static void step_own(struct audit *a)
{
	struct target *t = &a->target;
	struct instruction in;
	uint64_t pc = t->regs.rip - t->bias;
	decode_instruction(&in, &a->image, pc, &t->regs);
	for (size_t i = 0; i < in.access_count; i++)
		note_access(a, &in, &in.accesses[i], pc);
	if (!target_step(t))
		die("the program ended inside the case", a->active->name);
	if (own_function(a, t->regs.rip) || !in.is_transfer)
		return;
	if (t->regs.rip >= a->stack.start && t->regs.rip < a->stack.end)
		return; /* the trampoline of a nested function: it comes back to the corpus */
	bool is_library;
	uint64_t back = target_word(t, t->regs.rsp);
	const char *name = callee_name(a, &in, &is_library);
	note_call(a, name, is_library, pc);
	if (own_function(a, back))
		target_break(t, back);
}

static void report_hooks(const struct audit *a)
{
	for (size_t i = 0; i < a->ledger.gap_count; i++) {
		const struct gap_site *g = &a->ledger.gaps[i];
		char detail[96];
		snprintf(detail, sizeof(detail), "hook over %llu bytes, %llu accessed",
			 (unsigned long long)g->hook_size, (unsigned long long)g->hook_seen);
		if (g->hook_size)
			explain(a, g->gap, g->site, NULL, detail);
	}
}

static void print_gap(const char *label, const char *library_function, enum gap gap, size_t places)
{
	if (places)
		printf("gap\t%s\t%s%s%s\t%zu\n", label, gap_name[gap], library_function ? ":" : "",
		       library_function ? library_function : "", places);
}

/* "case_copy_8" of "struct_copy.c" is the case "copy_8" of "struct_copy". */
static void print_result(const struct audit *a)
{
	char label[256];
	snprintf(label, sizeof(label), "%.*s\t%s", (int)strcspn(a->active->file, "."),
		 a->active->file, a->active->name + strlen("case_"));
	printf("ran\t%s\t%llu\n", label, (unsigned long long)a->ledger.judged);
	for (int gap = 0; gap < GAP_COUNT; gap++) {
		size_t places = 0;
		for (size_t i = 0; i < a->ledger.gap_count; i++) {
			const struct gap_site *g = &a->ledger.gaps[i];
			if ((int)g->gap == gap && g->library_function)
				print_gap(label, g->library_function, gap, 1);
			else if ((int)g->gap == gap)
				places++;
		}
		print_gap(label, NULL, gap, places);
	}
}

/* The process stands at the entry of a case: step it to its return. */
static void run_case(struct audit *a, const struct function *f)
{
	struct target *t = &a->target;
	a->active = f;
	a->entry_rsp = t->regs.rsp;
	a->end = target_word(t, t->regs.rsp);
	a->stack = target_mapping(t, t->regs.rsp);
	a->shared_count = 0;
	target_break(t, a->end);
	while (t->regs.rip != a->end || t->regs.rsp <= a->entry_rsp) {
		if (own_function(a, t->regs.rip))
			step_own(a);
		else if (!target_run(t))
			die("the program ended inside the case", f->name);
	}
	ledger_finish(&a->ledger);
	report_hooks(a);
	print_result(a);
	ledger_release(&a->ledger);
	a->active = NULL;
}

static void break_at_own_functions(struct audit *a)
{
	size_t cases = 0;
	for (size_t i = 0; i < a->image.function_count; i++) {
		const struct function *f = &a->image.functions[i];
		if (f->is_own && f->size)
			target_break(&a->target, f->start + a->target.bias);
		if (f->is_own && !strncmp(f->name, "case_", 5))
			cases++;
	}
	if (!cases)
		die("the program has no case", NULL);
}

int main(int argc, char **argv)
{
	static struct audit a;
	int arg = 1;
	if (arg < argc && !strcmp(argv[arg], "-v")) {
		a.is_verbose = true;
		arg++;
	}
	if (argc - arg < 2) {
		fprintf(stderr, "usage: audit [-v] PROGRAM SOURCE...\n");
		return 2;
	}
	image_open(&a.image, argv[arg], argv + arg + 1, argc - arg - 1);
	target_start(&a.target, &a.image, argv[arg]);
	break_at_own_functions(&a);
	while (target_run(&a.target)) {
		/* Corpus code that runs outside of cases: constructors of the instrumentation. */
		const struct function *f = own_function(&a, a.target.regs.rip);
		if (f && !strncmp(f->name, "case_", 5) &&
		    a.target.regs.rip == f->start + a.target.bias)
			run_case(&a, f);
	}
	if (!WIFEXITED(a.target.status) || WEXITSTATUS(a.target.status))
		die("the program did not end with status 0", NULL);
	free(a.image.functions);
	free(a.image.slots);
	free(a.image.constants);
	free(a.target.breakpoints);
	return 0;
}
