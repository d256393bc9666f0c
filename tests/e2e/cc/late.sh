# Late stores: which call sites of write hooks are patched to the late form, judged by objdump.

cat_copies() {
	cat <<'C'
struct s4 { int a; };
struct s8 { int a, b; };
struct s16 { long a, b; };
struct s24 { long a, b, c; };
struct s4096 { char bytes[4096]; };
#define COPIES(n) \
	struct s##n to##n, from##n; \
	void copy##n(void) { to##n = from##n; } \
	void through##n(struct s##n *a, struct s##n *b) { *a = *b; } \
	void each##n(struct s##n *a, int count) { for (int i = 0; i < count; i++) a[i] = a[i + 1]; }
COPIES(4) COPIES(8) COPIES(16) COPIES(24) COPIES(4096)
char c; short s; int x, y; long z; double d; volatile int v; _Thread_local int t;
struct { unsigned low : 3, high : 5; } bits;
void scalar_stores(int *p, int n)
{
	c = (char)n; s = (short)n; x = n; *p = n + 1; z = n; d = n; v = n; t = n;
	bits.low = 1; bits.high = (unsigned)n;
}
void scalar_copies(int *p) { y = x; z = *p; x = v; *p = t; }
void scalar_updates(int *p) { ++*p; x += *p; z *= x; v++; }
void scalar_loop(int *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i + 1] + x; }
void scalar_choice(int *p, int n) { *p = n ? x : y; }
void scalar_clear(struct s24 *p) { *p = (struct s24){ 1, 2, 3 }; }
#define NAMES(n) (void *)copy##n, (void *)through##n, (void *)each##n,
void *const keep[] = {
	NAMES(4) NAMES(8) NAMES(16) NAMES(24) NAMES(4096)
	scalar_stores, scalar_copies, scalar_updates, scalar_loop, scalar_choice, scalar_clear,
};
int main(void)
{
	for (int i = 0; i < 15; i += 3)
		((void (*volatile)(void))keep[i])();
	((void (*volatile)(int *, int))keep[15])(&x, 2);
	return to8.a;
}
C
}

# hook_calls FILE: lines "function hook", for calls of write hooks in either form.
hook_calls() {
	objdump -d --no-show-raw-insn "$1" | sed 's/@plt//g' |
		awk '/^[0-9a-f]+ <.*>:$/ { f = $2; gsub(/[<>:]/, "", f) }
		     /call .*<__(tsan|heddle_late)_(unaligned_|volatile_)*write/ {
			h = $NF; gsub(/[<>]/, "", h); print f, h }'
}

# The copying functions have one write hook each, and it is late; the others have none that is.
check_patched() {
	hook_calls "$1" > calls
	for size in 4 8 16 24 4096; do
		for f in copy through each; do
			same "$(grep -c "^$f$size __heddle_late_" calls)" 1
			same "$(grep -c "^$f$size __tsan_" calls)" 0
		done
	done
	same "$(grep -c '^scalar.* __heddle_late_' calls)" 0
	[ "$(grep -c '^scalar.* __tsan_' calls)" -ge 18 ] || die "stores of scalars have no hooks"
}

late_program() {
	cat_copies > copies.c
	cc --heddle-verbose $1 copies.c -o copies 2> said
	timeout 10 ./copies
	check_patched copies
	grep -q ' 15 late and patched, 0 too late' said
}

late_library() {
	cat_copies > copies.c
	cc $1 -fPIC -shared copies.c -o libcopies.so
	check_patched libcopies.so
	echo 'int copy8(void); int main(void) { copy8(); return 0; }' > main.c
	cc main.c -L. -lcopies -Wl,-rpath,. -o main
	timeout 10 ./main
}

late_without_symbols() {
	cat_copies > copies.c
	cc --heddle-verbose $1 -s copies.c -o copies 2> said
	grep -q ' 15 late and patched, 0 too late' said
	timeout 10 ./copies
}

none_late() {
	cat_copies > copies.c
	cc $1 copies.c -o copies
	hook_calls copies > calls
	same "$(grep -c __heddle_late_ calls)" 0
	[ "$(grep -c '^scalar.* __tsan_' calls)" -ge 18 ]
	timeout 10 ./copies
}

# Orders that compilers do not produce, but that must be told apart all the same.
by_hand() {
	cat > hand.s <<'S'
	.text
	.macro function name
	.globl \name
	.type \name, @function
\name:
	push %rbx
	mov %rdi, %rbx
	call __tsan_write8
	.endm
	.macro finish name
	pop %rbx
	ret
	.size \name, . - \name
	.endm
function usual
	movq $1, (%rbx)
	call __tsan_read8
	finish usual
function late
	mov %rbx, %rdi
	call __tsan_read8
	movq $1, (%rbx)
	finish late
function late_on_both_ways
	mov %rbx, %rdi
	call __tsan_read8
	test %eax, %eax
	je 1f
	movl $1, 4(%rbx)
	jmp 2f
1:	movq $2, (%rbx)
2:	finish late_on_both_ways
function usual_on_one_way
	test %eax, %eax
	jne 1f
	jmp 2f
1:	call __tsan_read8
	jmp 3f
2:	movq $2, (%rbx)
3:	finish usual_on_one_way
function late_behind_a_jump
	jmp 1f
	ud2
1:	lea 8(%rbx), %rdi
	call __tsan_read8
	movl $1, (%rbx)
	finish late_behind_a_jump
function too_late
	call __tsan_read8
	call __tsan_read8
	movq $1, (%rbx)
	finish too_late
function beside
	movq $1, 8(%rbx)
	call __tsan_read8
	finish beside
	.section .note.GNU-stack,"",@progbits
S
	echo 'int main(void) { return 0; }' > main.c
	cc --heddle-verbose main.c hand.s -o hand 2> said
	hook_calls hand | grep -v '^main ' | sort > calls
	diff - calls <<'E2'
beside __tsan_write8
late __heddle_late_write8
late_behind_a_jump __heddle_late_write8
late_on_both_ways __heddle_late_write8
too_late __tsan_write8
usual __tsan_write8
usual_on_one_way __tsan_write8
E2
	grep -q '^heddle cc: warning: more than one hook lies .* store at too_late+0x4' said
	grep -q ' 3 late and patched, 1 too late, 1 unproved' said
}

levels="-O0 -O2 -Os"
libraries=("-O0" "-O2 -fuse-ld=gold" "-O2 -fno-plt -fcf-protection")
if in_full; then
	levels="-O0 -O1 -O2 -O3 -Os"
	libraries+=("-O2" "-O2 -fno-plt" "-O2 -fcf-protection")
fi
for level in $levels; do
	test_case "gcc $level: struct copies are late, scalars are not" late_program $level
	test_case "clang $level: nothing is late" env_clang none_late $level
done
for flags in "${libraries[@]}"; do
	test_case "gcc $flags: the same in a shared library" late_library "$flags"
done
test_case "code written by hand" by_hand
test_case "gcc: stripped output is patched too" late_without_symbols -O2
test_case "gcc: without position independence" late_program "-O2 -fno-pie -no-pie"
test_case "gcc: with unused sections removed" late_program "-O1 -ffunction-sections -Wl,--gc-sections"
