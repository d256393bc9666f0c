# SPDX-License-Identifier: Apache-2.0
# Compares the gaps of one configuration with the expected ones: one TAP line (without number) for each corpus
# file. Input, each named by the variable in front of it: expected.tsv (input=1), the rows of this
# configuration in the same form (input=2), the output of the tracer (input=3). A case in which nothing was
# judged fails too: it would be a test that cannot fail.

/^#/ { next }
input <= 2 && $3 == compiler && $4 == level {
	key = $1 "/" $2 " " $5
	of_file[key] = $1
	if (input == 1)
		expected[key] = $6
	else
		found[key] = $6
}
input == 3 && $1 == "ran" {
	cases[$2]++
	if ($4 == 0)
		complaint[$2] = complaint[$2] "# " $2 "/" $3 ": nothing was judged\n"
}
END {
	for (key in of_file)
		if (expected[key] + 0 != found[key] + 0)
			complaint[of_file[key]] = complaint[of_file[key]] "# " key ": " found[key] + 0 \
				" places, expected " expected[key] + 0 "\n"
	count = split(sources, names, " ")
	for (i = 1; i <= count; i++) {
		file = names[i]
		sub(/\.c$/, "", file)
		if (!cases[file])
			complaint[file] = complaint[file] "# no case of " file " has run\n"
		verdict = complaint[file] ? "not ok" : "ok"
		printf "%s%s - %s %s -%s\n", complaint[file], verdict, file, compiler, level
	}
}
