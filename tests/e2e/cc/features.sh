# One test for each thing that command lines can ask for, compared with the plain compiler where possible.

sources() {
	cat > a.c <<'C'
#include <stdio.h>
#include <string.h>
#include "a.h"
int shared[4];
int main(void) { shared[1] = helper(ANSWER); memset(shared, 0, 4); printf("%d\n", shared[1]); return 0; }
C
	echo '#define ANSWER 41' > a.h
	echo 'int helper(int);' >> a.h
	cat > b.c <<'C'
#include "a.h"
int calls;
int helper(int n) { calls++; return n + calls; }
C
}

runs() { same "$(timeout 10 "$@")" 42; }
has_hooks() { nm "$1" | grep -q '__tsan_write'; }
has_no_hooks() { if nm "$1" | grep -q __tsan_; then die "$1 has hooks"; fi; }
has_runtime() { nm -D --defined-only "$1" | grep -q ' __tsan_func_entry$'; }
# Both compilers name themselves in front of their messages.
messages() { sed 's/^[^ ]*\(gcc\|clang\)[^ ]*: /cc: /' "$1"; }

compile_and_link() {
	sources
	cc -c a.c
	cc -O2 -c b.c -o other.o
	has_hooks a.o
	has_hooks other.o
	cc a.o other.o -o prog
	runs ./prog
	has_runtime prog
	if ldd prog | grep -q tsan; then die "the compiler's own runtime is linked"; fi
}

at_once() {
	sources
	cc a.c b.c
	runs ./a.out
	cc -O3 a.c b.c -oprog
	runs ./prog
	same "$(ls *.o 2>/dev/null)" ""
	readelf -SW prog | grep -q '\.debug_line'
	readelf -n prog | grep -q 'Build ID'
	readelf -d prog | grep -Eq 'BIND_NOW|NOW'
}

debug_level() {
	sources
	cc -g0 -c a.c
	if readelf -SW a.o | grep -q '\.debug_line'; then die "-g0 is the user's"; fi
}

# depends WORDS: dependency files have the same names and contents as the plain compiler's.
depends() {
	sources
	mkdir ours theirs ours/sub theirs/sub
	cp a.c b.c a.h ours
	cp a.c b.c a.h theirs
	(cd theirs && plain $1)
	(cd ours && cc $1)
	find theirs -newer a.h -type f -name '*.d*' | sed 's,^theirs/,,' | sort > names
	[ -s names ]
	same "$(find ours -newer a.h -type f -name '*.d*' | sed 's,^ours/,,' | sort)" "$(cat names)"
	while read -r f; do cmp "ours/$f" "theirs/$f"; done < names
}

preprocess() {
	sources
	plain -E -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0 a.c > theirs
	cc -E a.c > ours
	cmp ours theirs
	for word in -M -MM; do
		plain $word a.c > theirs
		cc $word a.c > ours
		cmp ours theirs
	done
}

assembly() {
	sources
	cc -S a.c
	grep -q '__tsan_write4' a.s
	cc -S -O2 a.c -o - > piped.s
	grep -q '__tsan_write4' piped.s
}

assembler_sources() {
	sources
	printf '\t.globl helper\nhelper:\n\tlea 1(%%rdi), %%eax\n\tret\n' > h.s
	printf '\t.section .note.GNU-stack,"",@progbits\n' >> h.s
	printf '#define RESULT eax\n\t.globl helper\nhelper:\n\tlea 1(%%rdi), %%RESULT\n\tret\n' > g.S
	printf '\t.section .note.GNU-stack,"",@progbits\n' >> g.S
	cc -Werror -c h.s
	cc -Werror -c g.S
	has_no_hooks h.o
	cc -Werror a.c h.s -o prog
	runs ./prog
	cc -Werror a.c g.S -o prog
	runs ./prog
	cc -Werror -c a.c g.S
	cc a.o g.o -o prog
	runs ./prog
	cp h.s noext
	cc a.c -x assembler noext -x none -o prog
	runs ./prog
}

languages() {
	sources
	cp b.c b.other
	cc a.c -x c b.other -o prog
	runs ./prog
	cc -c -x c b.other -o b.o
	has_hooks b.o
	cc -c -xc - -o b2.o < b.c
	has_hooks b2.o
	cc a.c -x c - -o prog < b.c
	runs ./prog
	cc -E a.c > a.i
	cc a.i b.c -o prog
	runs ./prog
}

response_files() {
	sources
	mkdir 'with space'
	cp b.c 'with space/b.c'
	printf -- '-O1 a.c "with space/b.c"\n@inner' > outer
	printf -- "-o 'my prog' -I." > inner
	cc @outer
	runs './my prog'
	printf '@loop' > loop
	if cc @loop -c a.c; then die "an endless response file was accepted"; fi
	if cc @missing -c a.c; then die "a missing response file was accepted"; fi
}

libraries() {
	sources
	cc -c b.c
	ar rcs libb.a b.o
	cc a.c libb.a -o prog1
	cc a.c -L. -lb -pthread -o prog2
	runs ./prog1
	runs ./prog2
	cc -fPIC -shared b.c -o libs.so -Wl,-z,defs
	cc -fPIC -shared b.c -o libs.so -Xlinker --no-undefined -Wl,-z,relro,-z,defs -z defs
	has_hooks libs.so
	if has_runtime libs.so; then die "a shared library has a runtime of its own"; fi
	cc a.c libs.so -Wl,-rpath,. -o prog3
	runs ./prog3
	readelf -lW libs.so | grep -q RELRO
}

# A library that is opened later meets the runtime; functions of the program do not override its own.
plugins() {
	sources
	cat > p.c <<'C'
#include <pthread.h>
static pthread_mutex_t m;
int helper(int n) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return n + 1; }
int entry(void) { return helper(41); }
C
	cat > m.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int helper(int n) { return n + 100; }
int main(void)
{
	void *p = dlopen("./p.so", RTLD_NOW);
	if (!p) { puts(dlerror()); return 1; }
	printf("%d\n", ((int (*)(void))dlsym(p, "entry"))());
	return helper(0) != 100;
}
C
	cc -fPIC -shared p.c -o p.so
	cc m.c -o prog
	runs ./prog
}

partial_links() {
	sources
	cc -c a.c b.c
	cc -r -nostdlib a.o b.o -o both.o
	has_hooks both.o
	cc both.o -o prog
	runs ./prog
	cc -nostdlib -r a.c b.c -o both.o
	printf 'void _start(void) { __asm__ volatile("mov $60, %%eax; mov $7, %%edi; syscall"); }\n' > s.c
	cc -O1 -nostdlib -ffreestanding -static-libgcc s.c -o bare
	status=0
	timeout 10 ./bare || status=$?
	same $status 7
	cc -ffreestanding -c b.c -o free.o
	has_no_hooks free.o
}

questions() {
	for word in --version -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld; do
		plain $word > theirs 2>&1
		cc $word > ours 2>&1
		cmp ours theirs
	done
	echo 'int main(void) { return 0; }' > a.c
	cc -v > /dev/null 2>&1
	cc '-###' a.c 2> said
	grep -q cc1 said
	cc -v a.c -o prog 2> said
	grep -q cc1 said
	./prog
}

failures() {
	echo 'int main(void) { return undeclared; }' > bad.c
	echo 'int main(void) { return missing_function(); }' > unlinked.c
	sed -i '1i int missing_function(void);' unlinked.c
	echo 'int ok(void) { return 0; }' > ok.c
	for words in "-c bad.c" "bad.c -o x" "-c none.c" "none.c" "none.o -o x" "unlinked.c -o x" "" "-c" \
		"ok.c -o /none/x" "--no-such-option -c ok.c" "-E none.c"; do
		status=0 wanted=0
		plain $words > theirs 2>&1 || wanted=$?
		cc $words > ours 2>&1 || status=$?
		[ $wanted != 0 ]
		same "$words: $status" "$words: $wanted"
	done
	plain -c bad.c 2> theirs || true
	cc -c bad.c 2> ours || true
	same "$(messages ours)" "$(messages theirs)"
	# All sources are compiled although the first one fails, and nothing is linked.
	status=0
	cc bad.c unlinked.c ok.c none.c -o x 2> said || status=$?
	same $status 1
	grep -q undeclared said
	grep -q 'none.c' said
	if grep -q 'undefined reference' said; then die "it was linked"; fi
	[ ! -e x ]
}

refused() {
	echo 'int main(void) { return 0; }' > a.c
	for word in -fsanitize=address -fsanitize=thread -fsanitize=memory -fsanitize=leak \
		-fsanitize=undefined -fsanitize=undefined,address -static -static-pie -m32 -mcmodel=large; do
		status=0
		cc $word a.c -o prog 2> said || status=$?
		same "$word: $status" "$word: 2"
		same "$(wc -l < said)" 1
		grep -q "^heddle cc: " said
		[ ! -e prog ]
	done
	cc -fsanitize=undefined -fsanitize-undefined-trap-on-error a.c -o prog
	./prog
	status=0
	HEDDLE_CC=./no-such-compiler cc a.c 2> said || status=$?
	same $status 3
	status=0
	HEDDLE_CC=true cc a.c 2> said || status=$?
	same $status 3
	grep -q 'neither gcc nor clang' said
}

# HEDDLE_CC may be several words, and a path with spaces is one.
compilers_of_several_words() {
	sources
	mkdir "some where"
	ln -s "$(command -v gcc)" "some where/gcc"
	local words status=0
	for words in "env MARK=1 gcc" " nice  'gcc' " "$PWD/some where/gcc" "env '$PWD/some where/gcc'"; do
		rm -f prog a.o a.d
		HEDDLE_CC=$words cc -O1 -MMD a.c b.c -o prog
		HEDDLE_CC=$words cc -c a.c
		runs ./prog
		nm a.o | grep -q __tsan_
	done
	HEDDLE_CC=" " cc a.c 2> said || status=$?
	same "$status $(cat said)" "2 heddle cc: HEDDLE_CC names no compiler"
	status=0
	HEDDLE_CC="nice cat" cc a.c 2> said || status=$?
	same "$status $(cat said)" "3 heddle cc: nice cat (chosen by HEDDLE_CC) is neither gcc nor clang"
}

# A library that stands for one with locks of its own is named when it is linked, and by heddle run.
locks_of_libraries() {
	sources
	local sentence="libglib-2.0.so.0 has locks that heddle does not see; what they order may be reported as a race"
	echo 'void g_mutex_lock(void *m) { (void)m; }' >glib.c
	plain -shared -fPIC -Wl,-soname,libglib-2.0.so.0 glib.c -o libglib-2.0.so
	ln -s libglib-2.0.so libglib-2.0.so.0
	echo 'void g_mutex_lock(void *m); int main(void) { g_mutex_lock(0); return 0; }' >uses.c
	local purpose
	for purpose in run check; do
		cc --for=$purpose uses.c -L. -lglib-2.0 -Wl,-rpath,"$PWD" -o uses 2>said
		same "$(cat said)" "heddle cc: note: $sentence"
		timeout 60 "$heddle" run ./uses 2>said
		grep -qx "heddle: note: $sentence" said
	done
	cc a.c b.c -o prog 2>said
	same "$(cat said)" ""
}

# Archivers of a tool chain with the prefix `heddle-`.
archivers() {
	sources
	plain -c b.c
	"$build/heddle-gcc-ar" rcs libb.a b.o
	"$build/heddle-gcc-ranlib" libb.a
	same "$(ar t libb.a)" b.o
	local status=0
	PATH=/nowhere "$build/heddle-gcc-ar" t libb.a 2> said || status=$?
	same "$status $(cat said)" "3 heddle-gcc-ar: cannot run gcc-ar: No such file or directory"
}

link_time_optimisation() {
	sources
	cc -O2 -flto -c a.c b.c
	cc -O2 -flto a.o b.o -o prog
	runs ./prog
	objdump -d prog | grep -q 'call.*<__tsan_write4>'
	cc -O2 -flto=auto a.c b.c -o prog
	objdump -d prog | grep -q 'call.*<__tsan_write4>'
}

foreign_objects() {
	sources
	plain -O2 -c b.c
	cc a.c b.o -o prog 2> said
	grep -q 'note: b.o has code that was not compiled by heddle' said
	runs ./prog
	cc -w a.c b.o -o prog 2> said
	[ ! -s said ]
	ar rcs libb.a b.o
	cc a.c libb.a -o prog 2> said
	grep -q 'note: libb.a has code' said
	gcc -O2 -flto -ffat-lto-objects -c b.c
	cc a.c b.o -o prog 2> said
	grep -q 'note: b.o was compiled for link-time optimisation and has no hooks' said
}

# Memory and string functions of known size stay calls, which the runtime interposes.
memory_functions() {
	cat > m.c <<'C'
#include <string.h>
#include <strings.h>
char a[64], b[64];
void f_memset(void) { memset(a, 0, 32); }
void f_memcpy(void) { memcpy(a, b, 16); }
void f_memmove(void) { memmove(a, a + 1, 8); }
int f_memcmp(void) { return memcmp(a, b, 4) == 0; }
void f_bzero(void) { bzero(a, 8); }
void f_strcpy(void) { strcpy(a, "hello"); }
unsigned long f_strlen(void) { return strlen(a); }
int f_strcmp(void) { return strcmp(a, "x"); }
char *f_strchr(void) { return strchr(a, 0); }
char *f_strcat(void) { return strcat(a, "y"); }
void loop_clear(void) { for (int i = 0; i < 64; i++) a[i] = 0; }
void loop_copy(void) { for (int i = 0; i < 64; i++) a[i] = b[i]; }
C
	for level in -O0 -O1 -O2 -O3; do
		cc $level -D_FORTIFY_SOURCE=2 -c m.c
		objdump -dr m.o | awk '
			/^[0-9a-f]+ <f_/ { f = $2; gsub(/[<>:]|f_/, "", f) }
			/^[0-9a-f]+ <loop/ { f = "" }
			/R_X86_64_PL/ { n = $3; sub(/-0x4/, "", n); if (f != "" && n == f) print n }' |
			sort > found
		same "$level $(tr '\n' ' ' < found)" \
			"$level bzero memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen "
		objdump -dr m.o > listing
		if grep -q '_chk' listing; then die "$level: checked forms"; fi
		same "$(sed -n '/<loop_clear>:/,$p' listing | grep -c 'mem\(set\|cpy\|move\)')" 0
	done
}

warnings_as_errors() {
	cat > w.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
struct pair { int a, b; };
int choose(int n, struct pair *p)
{
	int r;
	if (n > 3)
		r = p->a;
	atomic_thread_fence(memory_order_seq_cst);
	if (n > 3)
		return r;
	return 0;
}
int main(int argc, char **argv)
{
	char text[8];
	struct pair p = { argc, 1 };
	strncpy(text, argv[0], sizeof(text) - 1);
	text[7] = 0;
	printf("%s\n", text);
	return choose(argc, &p);
}
C
	strict="-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror"
	for level in -O0 -O2 -O3; do
		plain $strict $level w.c -o theirs
		cc $strict -D_FORTIFY_SOURCE=2 $level w.c -o ours -lpthread
		cc $strict $level -c w.c
	done
}

precompiled_headers() {
	sources
	mkdir inc
	printf '#include <stdio.h>\nint helper(int);\n#define ANSWER 41\n' > inc/pre.h
	printf 'int main(void) { printf("%%d\\n", helper(ANSWER)); return 0; }\n' > p.c
	cc -O1 -x c-header inc/pre.h -o inc/pre.h.$1
	[ -s inc/pre.h.$1 ]
	if [ "$1" = gch ]; then
		# The text is gone, so that only the precompiled form can be meant; clang would notice.
		echo '#error the precompiled header was not used' > inc/pre.h
	fi
	cc -O1 -Winvalid-pch $2 p.c b.c -o prog
	runs ./prog
}

notes() {
	cat > n.c <<'C'
#define _GNU_SOURCE
#include <string.h>
int main(void) { char text[] = "abc"; strfry(text); return 0; }
C
	cc n.c -o prog 2> said
	same "$(cat said)" \
		"heddle cc: note: strfry is not classified; runs that call it cannot be called complete"
	cc -w n.c -o prog 2> said
	[ ! -s said ]
	HEDDLE_QUIET=1 cc n.c -o prog 2> said
	[ ! -s said ]
}

refused_functions() {
	echo '#include <stdlib.h>' > f.c
	echo 'extern int personality(unsigned long); int main(int c, char **v) { (void)v; return c > 9 ? personality(0) : 0; }' >> f.c
	cc --heddle-verbose f.c -o prog 2> said
	grep -q '^heddle cc: note: controlled runs end when they call personality$' said
	printf 'int main(void) { return 0; }\n' > g.c
	cc --heddle-verbose g.c -o prog 2> said
	if grep -q 'controlled runs end' said; then die "a function is named that nobody calls"; fi
}

# A program may have functions of its own with names of library functions that the runtime interposes.
own_names() {
	cat > o.c <<'C'
#include <stdio.h>
int rand(void) { return 42; }
char *index(const char *s, int c) { return c ? (char *)s : 0; }
int main(void) { printf("%d\n", index("", 1) ? rand() : 0); return 0; }
C
	cc -fno-builtin o.c -o prog
	runs ./prog
}

linker_options() {
	sources
	for words in -rdynamic -Wl,--exclude-libs,ALL "-Xlinker --exclude-libs=ALL" -Wl,--gc-sections \
		-no-pie "-fno-plt -O2" -fuse-ld=gold "-Wl,--as-needed -Wl,-z,relro" -fvisibility=hidden -s; do
		cc $words a.c b.c -o prog
		runs ./prog
		has_runtime prog || die "$words: the runtime is not exported"
	done
}

# Ending the driver ends the compiler, and nothing is left behind.
interrupted() {
	mkfifo slow.c
	(exec 3<> slow.c; exec timeout -s TERM 1 "$heddle" cc slow.c -o prog) || status=$?
	same "$status" 124
	same "$(ls -d "$TMPDIR"/heddle-cc-* 2> /dev/null)" ""
	[ ! -e prog ]
}

symlinked() {
	sources
	mkdir bin
	ln -s "$build/heddle" bin/heddle-cc
	timeout 60 bin/heddle-cc a.c b.c -o prog
	runs ./prog
	PATH=$build:$PATH timeout 60 heddle-cc a.c b.c -o prog2
	runs ./prog2
}

side_files() {
	sources
	mkdir ours theirs
	cp a.c b.c a.h ours
	cp a.c b.c a.h theirs
	(cd theirs && plain --coverage $1 a.c b.c -o prog)
	(cd ours && cc --coverage $1 a.c b.c -o prog)
	same "$(ls ours)" "$(ls theirs)"
	(cd ours && runs ./prog && ls *.gcda > /dev/null)
	same "$(ls -d "$TMPDIR"/heddle-cc-* 2> /dev/null)" ""
}

many_words() {
	sources
	for i in $(seq 1 1000); do
		echo "-DA_RATHER_LONG_NAME_OF_A_MACRO_THAT_IS_DEFINED_HERE_$i=1"
	done > words
	cc @words a.c b.c -o prog
	runs ./prog
}

# What a compiler does in its own way.
depends_in_common=("-MD a.c b.c -o prog" "-MMD -MF x.dep a.c -c" "-MD -MF x.dep -MT some.thing -c a.c")
depends_otherwise=("-MD -c a.c" "-MMD a.c b.c" "-MMD -MP a.c b.c -o sub/prog" "-MMD -c a.c -o sub/x.o"
	"-MD -MT target a.c b.c -o prog" "-MMD -MF x.dep -MQ \$x -c b.c")
of_each_compiler() {
	local words
	test_case "$HEDDLE_CC: compile, then link" compile_and_link
	test_case "$HEDDLE_CC: compile and link at once" at_once
	test_case "$HEDDLE_CC: -g0 is respected" debug_level
	for words in "${depends_in_common[@]}"; do
		test_case "$HEDDLE_CC: dependencies: $words" depends "$words"
	done
	test_case "$HEDDLE_CC: -E, -M, -MM" preprocess
	test_case "$HEDDLE_CC: -S" assembly
	test_case "$HEDDLE_CC: assembler sources" assembler_sources
	test_case "$HEDDLE_CC: -x and standard input" languages
	test_case "$HEDDLE_CC: -r, -nostdlib, -ffreestanding" partial_links
	test_case "$HEDDLE_CC: questions to the compiler" questions
	test_case "$HEDDLE_CC: -flto" link_time_optimisation
	test_case "$HEDDLE_CC: objects of another compiler" foreign_objects
	test_case "$HEDDLE_CC: memory functions stay calls" memory_functions
	test_case "$HEDDLE_CC: -Werror" warnings_as_errors
	test_case "$HEDDLE_CC: coverage files" side_files -O0
}

# Clang's header has functions that announce system calls: in both runtimes, also for shared libraries.
announced_calls() {
	local header option
	header=$(clang-14 -print-resource-dir)/include/sanitizer/linux_syscall_hooks.h
	grep -o '__sanitizer_syscall_\(pre\|post\)_impl_[a-z0-9_]*' "$header" | sort -u >wanted
	[ "$(wc -l <wanted)" -gt 600 ]
	echo 'int main(void) { return 0; }' >a.c
	for option in --for=check --for=run; do
		cc "$option" a.c -o prog
		nm -D --defined-only prog | sed 's/.* //' | sort >given
		same "$(comm -23 wanted given)" ""
	done
}

# Accesses that are calls of the sanitizers' interface are accesses like others.
unaligned_calls() {
	local got=0
	cc -O1 -g -pthread "$root/tests/e2e/run/programs/unaligned_calls.c" -o prog
	timeout 60 "$heddle" check -q -o w ./prog >found 2>&1 || got=$?
	same "$got" 1
	grep -q '^race: T[01] .* open+3' found
	same "$(grep -c '^race' found)" 1
}

# What the driver does by itself, whatever it calls.
of_the_driver() {
	local words
	for words in "${depends_otherwise[@]}"; do
		test_case "$HEDDLE_CC: dependencies: $words" depends "$words"
	done
	test_case "$HEDDLE_CC: response files" response_files
	test_case "$HEDDLE_CC: static and shared libraries" libraries
	test_case "$HEDDLE_CC: plugins" plugins
	test_case "$HEDDLE_CC: failures" failures
	test_case "$HEDDLE_CC: refused combinations" refused
	test_case "compilers of several words" compilers_of_several_words
	test_case "archivers" archivers
	test_case "locks of libraries" locks_of_libraries
	test_case "$HEDDLE_CC: notes" notes
	test_case "$HEDDLE_CC: refused functions are named" refused_functions
	test_case "$HEDDLE_CC: functions named like the library's" own_names
	test_case "$HEDDLE_CC: options for the linker" linker_options
	test_case "$HEDDLE_CC: a signal ends it cleanly" interrupted
	test_case "$HEDDLE_CC: started through a link and PATH" symlinked
	test_case "$HEDDLE_CC: many words" many_words
	test_case "announcements of system calls" announced_calls
	test_case "unaligned accesses by calls" unaligned_calls
}

for HEDDLE_CC in $compilers; do
	of_each_compiler
	if [ "$HEDDLE_CC" = gcc ] || in_full; then of_the_driver; fi
done
HEDDLE_CC=gcc
test_case "gcc: precompiled headers" precompiled_headers gch "-include inc/pre.h"
test_case "clang: precompiled headers" env_clang precompiled_headers pch "-include-pch inc/pre.h.pch"
