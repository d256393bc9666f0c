# Options, suppressions, exit statuses, and errors of one sentence; by the tool with sanitizers if there is one.
tool=$heddle
sanitized=${HEDDLE_SANITIZED:-build/clang}/heddle
[ ! -x "$sanitized" ] || tool=$PWD/$sanitized
race=$work/race-gcc-O0
[ -e "$race" ] || build_one "$here/programs/race.c" "$race" gcc -O0
[ -e "$work/locked-gcc-O0" ] || build_one "$here/programs/locked.c" "$work/locked-gcc-O0" gcc -O0
check() {	# check NAME EXPECTED-STATUS WORDS-IN-OUTPUT COMMAND...
	local name=$1 expected=$2 words=$3 status=0
	shift 3
	timeout 60 "$@" >"$work/log" 2>&1 || status=$?
	[ $status = "$expected" ] && { [ -z "$words" ] || grep -q -- "$words" "$work/log"; } && status=0 || {
		echo "status $status instead of $expected, or not: $words" >>"$work/log"
		status=1
	}
	report $status "options: $name" "$work/log"
}
cat >"$work/exits.c" <<'EOT'
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv) { if (argc > 2) raise(SIGTERM); return argc > 1 ? atoi(argv[1]) : 0; }
EOT
build_one "$work/exits.c" "$work/exits" gcc -O1
gcc "$work/exits.c" -o "$work/foreign"
echo 'race:^two$' >"$work/hit"
echo 'race:nobody' >"$work/miss"
echo 'nonsense' >"$work/bad"
check "help" 0 'usage: heddle run' "$tool" run --help
check "the stack of both, and the source" 1 'counter++' "$tool" run "$race"
check "the status is the program's own if nothing is found" 7 '' "$tool" run "$work/exits" 7
check "also if a signal ends it" 143 '' "$tool" run "$work/exits" 7 7
check "a status of choice" 66 'race' env HEDDLE_OPTIONS=exitcode=66 "$tool" run "$race"
check "0 leaves the program's" 0 'race' "$tool" run --exit-status=0 "$race"
check "suppressed by a function" 0 ' suppressed' "$tool" run --suppressions="$work/hit" "$race"
check "not suppressed" 1 'race' env HEDDLE_OPTIONS="suppressions=$work/miss:halt_on_error=0" "$tool" run "$race"
check "a bad suppression" 3 'bad:1: a suppression is KIND:PATTERN' "$tool" run --suppressions="$work/bad" "$race"
echo '# a comment
rase:two' >"$work/unknown"
check "an unknown kind of suppression is refused by its line" 3 "unknown:2: there is no kind 'rase'" "$tool" run \
	--suppressions="$work/unknown" "$race"
printf 'thread:x\nmutex:x\nsignal:x\ndeadlock:x\ncalled_from_lib:libx\nlock-order:x\n' >"$work/kinds"
check "all kinds of ThreadSanitizer are known" 1 'race' "$tool" run --suppressions="$work/kinds" "$race"
cat >"$work/inner.c" <<'EOT'
#include <pthread.h>
static int value;
__attribute__((noinline)) static void inner(void) { value++; }
static void *outer(void *a) { inner(); return a; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, outer, 0);
	pthread_create(&u, 0, outer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
EOT
build_one "$work/inner.c" "$work/inner" gcc -O1
echo 'race_top:^inner$' >"$work/top"
echo 'race_top:^outer$' >"$work/lower"
echo 'called_from_lib:inner.c' >"$work/lib"
check "race_top looks at the innermost function" 0 ' suppressed' "$tool" run --suppressions="$work/top" "$work/inner"
check "race_top looks at no other function" 1 'race' "$tool" run --suppressions="$work/lower" "$work/inner"
check "called_from_lib looks at modules, not at files" 1 'race' "$tool" run --suppressions="$work/lib" "$work/inner"
check "an unknown option in the environment" 2 "no option 'hist'" env HEDDLE_OPTIONS=hist=3 "$tool" run "$race"
check "a program that does not exist" 3 'there is no program' "$tool" run "$work/none"
check "a program that was not built by heddle" 3 'nothing was watched' "$tool" run "$work/foreign"
check "for exploration it must be built otherwise" 3 "built for 'heddle run' only" "$heddle" record "$race"
check "no program" 2 'no program is given' "$tool" run
check "another purpose" 2 "--for=fun" "$heddle" cc --for=fun "$work/exits.c"
check "stopped by the clock" 4 'killed after 1 second' "$tool" run --timeout=1 "$(
	printf 'int main(void) { for (volatile int i = 1; i;) ; }\n' >"$work/spin.c"
	build_one "$work/spin.c" "$work/spin" gcc -O0
	echo "$work/spin"
)"
check "without any randomisation" 1 'race' setarch -R "$tool" run "$race"
check "with the kernel's randomisation" 1 'race' "$tool" run --keep-aslr "$race"
check "findings in a file" 1 '' "$tool" run --log="$work/findings" "$race"
grep -q '^race' "$work/findings" && status=0 || status=1
report $status "options: --log"
check "alone it is an ordinary program" 0 '' "$race"
[ ! -s "$work/log" ] && status=0 || status=1
report $status "options: and says nothing" "$work/log"
check "confirm: not for a program that was built for run" 2 'without --for=run' "$tool" run --confirm "$work/locked-gcc-O0"
