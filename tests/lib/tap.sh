# SPDX-License-Identifier: Apache-2.0
# What the shell suites of tests/ have in common.  A suite begins and ends like this:
#
#   set -eu
#   . "$(dirname "$0")/../../lib/tap.sh"
#   result "the answer" "$([ $((6 * 7)) = 42 ] || echo "it is not 42")"
#   finish
#
# Sourcing it changes to the top of the tree and sets
#
#   root    the top of the tree             here    the folder of the suite
#   build   $HEDDLE_BUILD (default build)   heddle  the built tool
#   work    a new folder for files.  It is removed at the end, or kept and named if the suite fails.
#
# All are absolute; HEDDLE_BUILD is exported so, too.  Checks, each of which prints one line of TAP:
#
#   pass NAME, fail NAME [FILE]               known already; the end of FILE is printed with the failure
#   result NAME PROBLEM [FILE]                passes if PROBLEM is empty
#   report STATUS NAME [FILE]                 passes if STATUS is 0
#   compare NAME EXPECTED SEEN [FILE]         passes if the two strings are equal
#   compare_files NAME EXPECTED SEEN          passes if the two files are equal
#   run_test NAME COMMAND [ARG...]            passes if the command or function succeeds, run under `set -eu` in a subshell
#   run_jobs <LIST                            those of each command of the list, two at a time
#   run_tap COMMAND [ARG...]                  those of a program that prints TAP of its own
#   count_results <TEXT                       one check for each line `ok NAME` or `not ok NAME`
#
# Where the same log belongs to each failure, a suite sets failure_log once instead of giving FILE each time; failure_lines
# is how much of it is printed.  `checks` and `failures` count.  A suite that ends before `finish` fails.  TAP_TIMES=1 shows
# the processor time of each check.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
cd "$root"
build=$(realpath -m "${HEDDLE_BUILD:-build}")
heddle=$build/heddle
[ -x "$heddle" ] || { echo "Bail out! there is no $heddle; make builds it"; exit 1; }
export HEDDLE_BUILD=$build
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-$(basename "$here").XXXXXX")
checks=0 failures=0 failure_log='' failure_lines=40 tap_finished=''
trap tap_end EXIT

# processor_time: sets spent to the processor time of this shell and of all that it has waited for, in ms.
processor_time() {
	times >"$work/times"
	spent=$(awk -F '[ms ]' 'END { print int(($1 * 60 + $2 + $4 * 60 + $5) * 1000) }' "$work/times")
}

show_time() {
	[ -n "${TAP_TIMES:-}" ] || return 0
	processor_time
	echo "# $((spent - ${shown_until:-0})) ms"
	shown_until=$spent
}

pass() {	# pass NAME
	checks=$((checks + 1))
	echo "ok $checks - $1"
	show_time
}

fail() {	# fail NAME [FILE]
	local file=${2:-$failure_log}
	checks=$((checks + 1)) failures=$((failures + 1))
	echo "not ok $checks - $1"
	[ -z "$file" ] || tail -n "$failure_lines" "$file" 2>/dev/null | cut -c1-300 | sed 's/^/# /'
	show_time
}

result() {	# result NAME PROBLEM [FILE]
	if [ -z "$2" ]; then pass "$1"; else fail "$1: $2" "${3:-}"; fi
}

report() {	# report STATUS NAME [FILE]
	if [ "$1" = 0 ]; then pass "$2"; else fail "$2" "${3:-}"; fi
}

compare() {	# compare NAME EXPECTED SEEN [FILE]
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "${4:-}"
		printf 'expected %s\ngot      %s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

compare_files() {	# compare_files NAME EXPECTED SEEN
	diff -u "$2" "$3" >"$work/diff" 2>&1 && pass "$1" || fail "$1" "$work/diff"
}

run_test() {	# run_test NAME COMMAND [ARG...]
	local name=$1 status errexit=+e
	shift
	[[ $- != *e* ]] || errexit=-e
	set +e	# in a condition, the shell would ignore -e inside the function, too
	(set -eu; "$@") >"$work/test.out" 2>&1
	status=$?
	set $errexit
	report $status "$name" "$work/test.out"
}

# count_results <TEXT: lines `ok NAME` and `not ok NAME`, which others have printed, become checks; other lines stay as they are.
count_results() {
	local line
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${line#ok }" ;;
		'not ok '*) failure_log='' fail "${line#not ok }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

# run_tap COMMAND [ARG...]: a program that prints TAP of its own.
run_tap() {
	local status=0 before=$failures
	"$@" >"$work/tap" 2>"$work/tap.err" || status=$?
	count_results < <(sed -E -e '/^1\.\./d' -e 's/^((not )?ok) [0-9]+ - /\1 /' "$work/tap")
	[ $status = 0 ] || [ "$failures" -gt "$before" ] || fail "$* ended with status $status" "$work/tap.err"
}

# run_jobs <LIST: each line is a command, which prints a line `ok NAME` or `not ok NAME` for each of its checks, and others as it
# likes.  Where nearly everything fails, 10 failures are enough.
run_jobs() {
	local wanted given
	mkdir -p "$work/jobs"
	cat >"$work/jobs/list"
	xargs -P 2 -I{} sh -c '[ "$(cat "$0"/result.* 2>/dev/null | grep -c "^not ok")" -lt 10 ] || exit 0
		{} >"$(mktemp "$0/result.XXXXXX")" 2>&1 || true' "$work/jobs" <"$work/jobs/list"
	count_results < <(cat "$work/jobs"/result.*)
	wanted=$(wc -l <"$work/jobs/list")
	given=$(grep -lsE '^(not )?ok' "$work/jobs"/result.* | wc -l)
	[ "$given" = "$wanted" ] || fail "only $given of $wanted jobs gave a result"
}

# ---- programs ----

# compile SOURCE PROGRAM [OPTION...]: as C or C++, by the name of the source.  HEDDLE_CC and HEDDLE_CXX choose the compiler.
compile() {
	local source=$1 program=$2 driver=cc
	shift 2
	case $source in *.cc | *.cpp) driver=c++ ;; esac
	timeout 120 "$heddle" $driver -w -O0 -g -pthread "$source" -o "$program" "$@" || { echo "# cannot build $source"; return 1; }
}

# compile_by COMPILER LEVEL SOURCE PROGRAM [OPTION...]: COMPILER is gcc or clang, for C++, too.
compile_by() {
	local compiler=$1 level=$2 plus=${1/gcc/g++}
	shift 2
	HEDDLE_CC=$compiler HEDDLE_CXX=${plus/clang/clang++} compile "${@:1:2}" "$level" "${@:3}"
}

# json_field NAME FILE: a number, word or string of the top level of a result, as it stands there.
json_field() {
	sed -n "s/^  \"$1\": \(.*[^,]\),*$/\1/p" "$2"
}

# ---- the end ----

finish() {
	echo "1..$checks"
	tap_finished=1
	[ "$checks" -gt 0 ] || fail "the suite has no check"
	exit $((failures > 0))
}

# leave: the end of a suite that was asked for something other than its checks.
leave() {
	tap_finished=1
	exit 0
}

tap_end() {
	local status=$?
	cd /
	if [ -z "$tap_finished" ]; then
		echo "Bail out! the suite ended before its last check, with status $status"
		[ $status != 0 ] || status=1
	fi
	if [ $status = 0 ]; then
		rm -rf "$work"
	else
		echo "# kept: $work; again: HEDDLE_BUILD=$build ${here#"$root"/}/run"
	fi
	exit $status
}
