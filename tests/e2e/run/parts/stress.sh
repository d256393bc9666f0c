# Many threads, many locks, fork, signals, plugins: the same output as without heddle, the findings that there are, and
# memory that does not grow with the length of the run.
for name in threads locks fork breed signals host; do
	build_one "$here/stress/$name.c" "$tmp/$name" gcc -O1 2>"$tmp/log" || report 1 "stress: $name builds" "$tmp/log"
done
HEDDLE_CC=gcc timeout 60 "$heddle" cc --for=run -O1 -g -fPIC -shared -o "$tmp/plugin.so" "$here/stress/plugin.c"

stress() {	# stress NAME FINDINGS ARGUMENTS...
	local name=$1 expected=$2 status=0
	shift 2
	timeout 120 "$heddle" run --json "$tmp/json" "$tmp/$name" "$@" >"$tmp/out" 2>"$tmp/log" || status=$?
	timeout 60 "$tmp/$name" "$@" >"$tmp/out.alone"
	[ "$(found "$tmp/json")" = "$expected" ] && cmp -s "$tmp/out" "$tmp/out.alone" &&
		[ $status = $([ -z "$expected" ] && echo 0 || echo 1) ] && status=0 || {
		echo "expected '$expected', found '$(found "$tmp/json")', status $status" >>"$tmp/log"
		status=1
	}
	report $status "stress: $name $(head -1 "$tmp/out")" "$tmp/log"
}

stress threads race:observed
stress fork ""
stress fork race:observed racy
# Where the two threads meet, read and write of one are both told.
[ "$(grep "^race" "$tmp/log" | sort -u | wc -l)" = 2 ] && status=0 || status=1
report $status "stress: a race in a child, with and without other threads before the fork" "$tmp/log"
stress breed race:observed
count=$(sed -n 's/^ *"count": \([0-9]*\).*/\1/p' "$tmp/json")
[ "$count" = 80 ] && status=0 || status=1
report $status "stress: every child is watched, also while other threads begin and end: $count of 80" "$tmp/json"
stress signals ""
stress host race:observed "$tmp/plugin.so"
stress locks "" 1000000
# Stamps are used up and given out again, so that memory has an end.
peak() { timeout 120 /usr/bin/time -f %M -o "$tmp/peak" "$heddle" run "$tmp/locks" "$1" >/dev/null 2>&1 && tail -1 "$tmp/peak"; }
small=$(peak 2000000) large=$(peak 10000000)
[ "$large" -lt $((small + small / 4 + 2000)) ] && status=0 || status=1
report $status "stress: peak memory $small KB with 2 million lock operations, $large KB with 10 million"
