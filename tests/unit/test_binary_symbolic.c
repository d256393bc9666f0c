/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic execution of instruction sequences, given as bytes. */
#include "unit/unit.h"

#include <string.h>

#include "binary/symbolic.h"

static ZydisDecoder decoder;

/* Execute code and return the address of its last store. */
static struct sym_value last_store(struct sym_state *s, const char *code, size_t len)
{
	struct sym_value last = { 0 };
	for (size_t at = 0; at < len;) {
		struct sym_instruction in = { .address = 0x1000 + at };
		assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, len - at,
								&in.base, in.operands)));
		struct sym_effect effect;
		sym_step(s, &in, &effect);
		if (effect.store_count)
			last = effect.stores[effect.store_count - 1].address;
		at += in.base.length;
	}
	return last;
}

#define RUN_CODE(s, code) last_store(s, code, sizeof(code) - 1)
#define LEA_RDI_8_RBX "\x48\x8d\x7b\x08"	       /* lea 0x8(%rbx),%rdi */
#define STORE_8_RBX "\x48\xc7\x43\x08\x02\x00\x00\x00" /* movq $2,0x8(%rbx) */

static enum sym_relation relation(const struct sym_state *s, struct sym_value store)
{
	struct sym_value rdi = sym_register(s, ZYDIS_REGISTER_RDI);
	return sym_compare(&rdi, 8, &store, 8);
}

static struct sym_state fresh_state(void)
{
	struct sym_state s = { 0 };
	sym_reset(&s, 0x1000);
	return s;
}

static void equal_sums_are_equal(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	assert_int_equal(relation(&s, RUN_CODE(&s, LEA_RDI_8_RBX STORE_8_RBX)), SYM_OVERLAP);
	/* lea (%rax,%rax,2),%rdi; mov %rax,%rcx; add %rcx,%rcx; add %rax,%rcx; mov %edx,(%rcx) */
	s = fresh_state();
	assert_int_equal(
		relation(&s,
			 RUN_CODE(&s,
				  "\x48\x8d\x3c\x40\x48\x89\xc1\x48\x01\xc9\x48\x01\xc1\x89\x11")),
		SYM_OVERLAP);
	/* mov %rax,%rdi; shl $3,%rdi; mov %edx,0x0(,%rax,8) */
	s = fresh_state();
	assert_int_equal(
		relation(&s,
			 RUN_CODE(&s, "\x48\x89\xc7\x48\xc1\xe7\x03\x89\x14\xc5\x00\x00\x00\x00")),
		SYM_OVERLAP);
	/* mov %rbx,%rdi; sub %rax,%rbx; add %rax,%rbx; mov %edx,(%rbx) */
	s = fresh_state();
	assert_int_equal(relation(&s, RUN_CODE(&s, "\x48\x89\xdf\x48\x29\xc3\x48\x01\xc3\x89\x13")),
			 SYM_OVERLAP);
}

static void neighbours_are_disjoint(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	/* lea 0x8(%rbx),%rdi; mov %rax,0x10(%rbx) */
	assert_int_equal(relation(&s, RUN_CODE(&s, LEA_RDI_8_RBX "\x48\x89\x43\x10")),
			 SYM_DISJOINT);
	/* lea 0x8(%rbx),%rdi; mov %rax,0x4(%rbx): half of it */
	s = fresh_state();
	assert_int_equal(relation(&s, RUN_CODE(&s, LEA_RDI_8_RBX "\x48\x89\x43\x04")), SYM_OVERLAP);
}

static void unknown_pointers_are_unrelated(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	/* mov %rbx,%rdi; mov %eax,(%rcx) */
	assert_int_equal(relation(&s, RUN_CODE(&s, "\x48\x89\xdf\x89\x01")), SYM_UNRELATED);
	/* mov %rbx,%rdi; mov %rax,-0x8(%rbp) */
	s = fresh_state();
	assert_int_equal(relation(&s, RUN_CODE(&s, "\x48\x89\xdf\x48\x89\x45\xf8")), SYM_SPILL);
	/* lea 0x100(%rip),%rdi; mov %rax,-0x8(%rbp) */
	s = fresh_state();
	assert_int_equal(relation(&s, RUN_CODE(&s, "\x48\x8d\x3d\x00\x01\x00\x00\x48\x89\x45\xf8")),
			 SYM_DISJOINT);
}

static void spilled_pointers_come_back(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	/* mov %rbx,%rdi; mov %rbx,-0x8(%rbp); mov -0x8(%rbp),%rax; movl $1,(%rax) */
	assert_int_equal(relation(&s, RUN_CODE(&s, "\x48\x89\xdf\x48\x89\x5d\xf8\x48\x8b\x45\xf8"
						   "\xc7\x00\x01\x00\x00\x00")),
			 SYM_OVERLAP);
	/* ... with mov %rcx,-0x8(%rbp) between */
	s = fresh_state();
	assert_int_equal(
		relation(&s,
			 RUN_CODE(&s, "\x48\x89\xdf\x48\x89\x5d\xf8\x48\x89\x4d\xf8\x48\x8b\x45\xf8"
				      "\xc7\x00\x01\x00\x00\x00")),
		SYM_UNRELATED);
}

static void calls_forget_scratch_registers(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	struct sym_value rbx = sym_register(&s, ZYDIS_REGISTER_RBX),
			 rdi = sym_register(&s, ZYDIS_REGISTER_RDI);
	sym_after_call(&s, 0x2000, true);
	assert_true(sym_register(&s, ZYDIS_REGISTER_RBX).unknown == rbx.unknown);
	assert_true(sym_register(&s, ZYDIS_REGISTER_RDI).unknown != rdi.unknown);
}

static void joins_keep_what_agrees(void **state)
{
	(void)state;
	struct sym_state a = fresh_state(), b = a;
	/* a: lea 0x8(%rbx),%r12   b: the same   then b: mov %rcx,%r13 */
	RUN_CODE(&a, "\x4c\x8d\x63\x08");
	RUN_CODE(&b, "\x4c\x8d\x63\x08\x49\x89\xcd");
	uint64_t r12 = sym_register(&a, ZYDIS_REGISTER_R12).unknown,
		 r13 = sym_register(&a, ZYDIS_REGISTER_R13).unknown;
	assert_true(sym_join(&a, &b, 0x3000));
	assert_true(sym_register(&a, ZYDIS_REGISTER_R12).unknown == r12);
	assert_true(sym_register(&a, ZYDIS_REGISTER_R13).unknown != r13);
	/* Joining the same again changes nothing: the fixed point is reached. */
	assert_false(sym_join(&a, &b, 0x3000));
	assert_false(sym_join(&a, &a, 0x3000));
}

/* However often a slot is written and states are joined, an old value never comes back. */
static void old_values_stay_dead(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	RUN_CODE(&s, "\x48\x89\x5d\xf8"); /* mov %rbx,-0x8(%rbp) */
	struct sym_state other = s;
	RUN_CODE(&other, "\x48\x89\x4d\xf8"); /* mov %rcx,-0x8(%rbp) */
	sym_join(&s, &other, 0x3000);
	RUN_CODE(&s, "\x48\x8b\x45\xf8"); /* mov -0x8(%rbp),%rax */
	assert_true(sym_register(&s, ZYDIS_REGISTER_RAX).unknown !=
		    sym_register(&s, ZYDIS_REGISTER_RBX).unknown);
	assert_true(sym_register(&s, ZYDIS_REGISTER_RAX).unknown !=
		    sym_register(&s, ZYDIS_REGISTER_RCX).unknown);
	/* More stores than can be remembered: movl $1,disp32(%rbp) at 200 places. */
	s = fresh_state();
	RUN_CODE(&s, "\x48\x89\x5d\xf8");
	for (int i = 1; i <= 200; i++) {
		char code[] = "\xc7\x85\x00\x00\x00\x00\x01\x00\x00\x00";
		int32_t slot = -8 - 8 * i;
		memcpy(code + 2, &slot, 4);
		last_store(&s, code, sizeof(code) - 1);
	}
	RUN_CODE(&s, "\x48\x8b\x45\xf8");
	uint64_t rax = sym_register(&s, ZYDIS_REGISTER_RAX).unknown;
	RUN_CODE(&s, "\x48\x8b\x45\xf8");
	assert_true(sym_register(&s, ZYDIS_REGISTER_RAX).unknown == rax);
}

static void thread_local_addresses_are_known(void **state)
{
	(void)state;
	struct sym_state s = fresh_state();
	/* mov %fs:0x0,%rax; lea -0x10(%rax),%rdi; movl $1,%fs:0xfffffffffffffff0 */
	assert_int_equal(
		relation(&s, RUN_CODE(&s, "\x64\x48\x8b\x04\x25\x00\x00\x00\x00\x48\x8d\x78\xf0"
					  "\x64\xc7\x04\x25\xf0\xff\xff\xff\x01\x00\x00\x00")),
		SYM_OVERLAP);
}

int main(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	RUN(cmocka_unit_test(equal_sums_are_equal), cmocka_unit_test(neighbours_are_disjoint),
	    cmocka_unit_test(unknown_pointers_are_unrelated),
	    cmocka_unit_test(spilled_pointers_come_back),
	    cmocka_unit_test(calls_forget_scratch_registers),
	    cmocka_unit_test(joins_keep_what_agrees), cmocka_unit_test(old_values_stay_dead),
	    cmocka_unit_test(thread_local_addresses_are_known));
}
