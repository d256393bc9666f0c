# Many threads, many locks, fork, signals, plugins: the same output as without heddle, the findings that there are, and
# memory that does not grow with the length of the run.
for name in threads locks fork breed signals host; do
	build_one "$here/stress/$name.c" "$work/$name" gcc -O1 2>"$work/log" || report 1 "stress: $name builds" "$work/log"
done
HEDDLE_CC=gcc timeout 60 "$heddle" cc --for=run -O1 -g -fPIC -shared -o "$work/plugin.so" "$here/stress/plugin.c"

stress() {	# stress NAME FINDINGS ARGUMENTS...
	local name=$1 expected=$2 status=0
	shift 2
	timeout 120 "$heddle" run --json "$work/json" "$work/$name" "$@" >"$work/out" 2>"$work/log" || status=$?
	timeout 60 "$work/$name" "$@" >"$work/out.alone"
	[ "$(found "$work/json")" = "$expected" ] && cmp -s "$work/out" "$work/out.alone" &&
		[ $status = $([ -z "$expected" ] && echo 0 || echo 1) ] && status=0 || {
		echo "expected '$expected', found '$(found "$work/json")', status $status" >>"$work/log"
		status=1
	}
	report $status "stress: $name $(head -1 "$work/out")" "$work/log"
}

stress threads race:observed
stress fork ""
stress fork race:observed racy
# Where the two threads meet, read and write of one are both told.
[ "$(grep "^race" "$work/log" | sort -u | wc -l)" = 2 ] && status=0 || status=1
report $status "stress: a race in a child, with and without other threads before the fork" "$work/log"
stress breed race:observed
count=$(sed -n 's/^ *"count": \([0-9]*\).*/\1/p' "$work/json")
[ "$count" = 80 ] && status=0 || status=1
report $status "stress: every child is watched, also while other threads begin and end: $count of 80" "$work/json"
stress signals ""
stress host race:observed "$work/plugin.so"
stress locks "" 1000000
# Stamps are used up and given out again, so that memory has an end.
peak() { timeout 120 /usr/bin/time -f %M -o "$work/peak" "$heddle" run "$work/locks" "$1" >/dev/null 2>&1 && tail -1 "$work/peak"; }
small=$(peak 2000000) large=$(peak 10000000)
[ "$large" -lt $((small + small / 4 + 2000)) ] && status=0 || status=1
report $status "stress: peak memory $small KB with 2 million lock operations, $large KB with 10 million"
