# Programs that were built for exploration have the same findings, and say once that they are slower.
for name in race hidden example1 no_uaf_dep cockroach queue hard_edges refcount; do
	status=0
	expected=$(sed -n '1s/^\/\/ expect: *//p' "$here/programs/$name.c")
	HEDDLE_QUIET=1 timeout 60 "$heddle" cc -O0 -g -pthread -o "$tmp/explored" "$here/programs/$name.c" 2>"$tmp/log"
	timeout 60 "$heddle" run --json "$tmp/json" "$tmp/explored" >"$tmp/log" 2>&1 || true
	[ "$(found "$tmp/json")" = "$expected" ] && [ "$(grep -c 'built for exploration' "$tmp/log")" = 1 ] || status=1
	report $status "built for exploration: $name: ${expected:-nothing}" "$tmp/log"
done
