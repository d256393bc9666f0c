# SPDX-License-Identifier: Apache-2.0
# Compare recordings of a program with all its callbacks and of the same without those that were removed.
#
#   awk -f judge.awk -v all=ADDRESS -v thin=ADDRESS FILE...
#
# FILEs are traces as text, for each run four of them: all.full, thin.full, all.marks, thin.marks.  The addresses are those
# of main in both programs.  Errors are printed, and make the status 1.
#
#   1. Both have the same events.
#   2. In front of every event, two runs have passed the same callbacks in the one if and only if they have in the other:
#      nothing that could be told apart cannot be any more, and the other way round.
#   3. An event with a mark in the thin program has it in the other.  One that has lost it came after no decision: in all
#      runs the same callbacks and the same event followed there.
function fail(text) { print FILENAME ": " text; status = 1 }

function number(hex,   i, v) {
	v = 0
	for (i = 3; i <= length(hex); i++)
		v = v * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return v
}

function place(   i) {	# of the event in this line; of the program relative to main
	for (i = 2; i <= NF; i++)
		if ($i ~ /^@[0-9]+$/)
			return where[substr($i, 2)]
	return "nowhere"
}

# Prefixes of runs are nodes of a tree.
function step(tree, node, symbol,   key) {
	key = tree SUBSEP node SUBSEP symbol
	if (!(key in child))
		child[key] = ++nodes
	return child[key]
}

FNR == 1 {
	delete where
	is_all = FILENAME ~ /all\.(full|marks)$/
	base = number(is_all ? all : thin)
	is_full = FILENAME ~ /full$/
	run = FILENAME
	sub(/\.[a-z]*\.[a-z]*$/, "", run)
	node = count = 0
	passed = last = before = ""
}

# Places of the program itself are relative to main, those of libraries are as they are.
/^region .*path="[^"]*ways\./ { own = "region=" $2 }

/^location / {
	match($0, /offset=0x[0-9a-f]+/)
	where[$2] = number(substr($0, RSTART + 7, RLENGTH - 7)) - ($3 == own ? base : 0)
}

/^T0 branch/ {
	last = place()
	node = step(is_all, node, last)
	passed = passed " " last
}

/^T0 / && !/^T0 branch/ {
	count++
	symbol = $2 " " place()
	if (is_full && is_all) {
		event[run, count] = symbol
		upto[run, count] = node
		# What came behind the event before, and behind the callback before that.
		key[run, count] = before
		if (!(before in follows))
			follows[before] = passed " : " symbol
		else if (follows[before] != passed " : " symbol)
			decides[before] = 1
		before = last ", " symbol
		events[run] = count
	} else if (is_full) {
		if (event[run, count] != symbol)
			fail("event " count " is " symbol ", not " event[run, count])
		other = upto[run, count]
		if ((other in thin_of) && thin_of[other] != node)
			fail("event " count ": runs that were the same are not any more")
		if ((node in all_of) && all_of[node] != other)
			fail("event " count " (" symbol "): runs that were different are not any more")
		thin_of[other] = node
		all_of[node] = other
		thin_events[run] = count
	} else if (is_all) {
		mark[run, count] = / \+branch/
		marks += mark[run, count]
	} else {
		if (/ \+branch/ && !mark[run, count])
			fail("event " count " has a mark that it had not")
		if (!/ \+branch/ && mark[run, count]) {
			lost++
			if (key[run, count] in decides)
				fail("event " count " (" symbol ") has lost its mark behind a decision")
		}
	}
	node = step(is_all, node, symbol)
	passed = ""
}

END {
	for (run in events)
		if (events[run] != thin_events[run])
			fail(run ": " events[run] " events, then " thin_events[run])
	print "marks: " marks ", of them lost: " lost + 0
	exit status
}
