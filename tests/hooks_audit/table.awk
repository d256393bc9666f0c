# SPDX-License-Identifier: Apache-2.0
# Writes the generated part of doc/HOOKS.md: for each kind of gap what it means, what is done about it, and
# which constructs have it with which compiler and level. Input: the texts of all cases (file, case, text),
# then expected.tsv.  Constructs of one corpus file that have the same gap at the same levels share a row.

BEGIN {
	FS = "\t"
	kind_count = 0
	kind("missing-write", "Stores without a hook",
		"The trace has no event for the store. The next hooked read of these bytes finds a value " \
		"that no event explains, and gets an `outside-write` event in front of it, with the place " \
		"of the read. On a stack, where frames are reused all the time, a store without a hook " \
		"cannot be told from a new frame: the event is `initial` there, and nothing marks the run " \
		"as incomplete. A store that is overwritten before anyone reads it stays unseen.")
	kind("missing-read", "Loads without a hook",
		"The trace has no event for the load, so no question about the trace can involve it, and " \
		"no other thread is scheduled right before it. The value that it gets is still that of " \
		"this execution.")
	kind("unreported-read", "Loads of which only the store is announced",
		"The hook announces a write; the load of the neighbouring bits in front of the store has " \
		"no event. The write event carries all bytes that the store really writes.")
	kind("late-write", "Stores that come one hook later than they should",
		"The driver redirects the hook to its late form, which tells the runtime to look for the " \
		"new value one hook later. What is listed here is what the driver did not redirect.")
	kind("late-read", "Loads that come one hook later than they should",
		"Another thread may run between hook and load; the value in the trace may be older than " \
		"what the program got.")
	kind("very-late", "Accesses that come more than one hook late",
		"As for late accesses; the late form of a hook covers one hook in between, not more.")
	kind("not-late", "Stores announced as late that are not",
		"The runtime would take the value one hook too late.")
	kind("narrow-hook", "Accesses wider than their hook",
		"Bytes beyond the hook are loaded or stored without an event. The extra bytes of a load " \
		"are masked away by the instructions that follow; the extra bytes of a store are like a " \
		"store without a hook.")
	kind("wide-hook", "Hooks wider than the access",
		"The event names bytes that are not accessed: padding, neighbouring bit-fields, or the " \
		"upper part of a value of which only the lower part is needed. A write event over bytes " \
		"that stay as they are can look like a conflict with another thread's access to them. " \
		"(Neighbouring bit-fields are one memory location in C, so a conflict over them is one by " \
		"the rules of the language too.)")
	kind("extra-hook", "Hooks without an access",
		"The compiler removed or merged the access after it had placed the hook. The event is an " \
		"access of the source program that the machine code does not make.")
	kind("atomic-load-again", "Loads repeated after the hook of an atomic load",
		"The hook performs the atomic load and the program uses the hook's result. The original " \
		"load instruction stays behind it, its result is not used: harmless.")
	kind("reported-twice", "Accesses announced by a hook and again by a memory function",
		"Two events for one access, the first one without effect.")
	kind("library-call", "Accesses left to functions of shared libraries without a wrapper",
		"Such a function reads and writes without events. Its stores are seen as `outside-write` " \
		"at the next hooked read, as stores without a hook.")
}

function kind(name, title, meaning)
{
	kinds[++kind_count] = name
	titles[name] = title
	meanings[name] = meaning
}

/^#/ { next }
NF == 3 {
	file = $1
	sub(/.*\//, "", file)
	sub(/\.c$/, "", file)
	text[file, $2] = $3
	next
}
{
	what = $5
	detail = ""
	if (index(what, ":")) {
		detail = substr(what, index(what, ":") + 1)
		what = substr(what, 1, index(what, ":") - 1)
	}
	if (!(what in titles)) {
		print "table.awk: no text for " what > "/dev/stderr"
		exit 1
	}
	id = $1 SUBSEP $2 SUBSEP what
	if (!(id in known)) {
		known[id] = 1
		order[++id_count] = id
	}
	if (!((id, $3, $4) in levels)) {
		levels[id, $3, $4] = 1
		at[id, $3] = at[id, $3] (at[id, $3] == "" ? "" : " ") "-" $4
	}
	if (detail != "" && !((id, detail) in named)) {
		named[id, detail] = 1
		details[id] = details[id] (details[id] == "" ? "" : ", ") "`" detail "`"
	}
}

# The row of a construct without its name: when this is equal, rows are merged.
function pattern(id, i, result)
{
	result = ""
	for (i = 1; i <= compiler_count; i++)
		result = result " | " (at[id, compiler[i]] == "-O0 -O1 -O2" ? "all" : at[id, compiler[i]])
	return result " |"
}

function print_kind(name, i, part, file, row, row_count, rows, merged)
{
	row_count = 0
	for (i = 1; i <= id_count; i++) {
		split(order[i], part, SUBSEP)
		if (part[3] != name)
			continue
		row = part[1] pattern(order[i])
		if (!(row in merged))
			rows[++row_count] = row
		merged[row] = merged[row] (merged[row] == "" ? "" : "; ") text[part[1], part[2]] \
			(details[order[i]] == "" ? "" : " (" details[order[i]] ")")
	}
	if (!row_count)
		return
	printf "### %s (`%s`)\n\n%s\n\n| construct", titles[name], name, meanings[name]
	for (i = 1; i <= compiler_count; i++)
		printf " | %s", compiler[i]
	printf " |\n|---"
	for (i = 1; i <= compiler_count; i++)
		printf "|---"
	printf "|\n"
	for (i = 1; i <= row_count; i++) {
		file = substr(rows[i], 1, index(rows[i], " ") - 1)
		printf "| %s: %s%s\n", file, merged[rows[i]], substr(rows[i], index(rows[i], " "))
	}
	printf "\n"
}

END {
	compiler_count = split(compilers, compiler, " ")
	printf "\n"
	for (k = 1; k <= kind_count; k++)
		print_kind(kinds[k])
}
