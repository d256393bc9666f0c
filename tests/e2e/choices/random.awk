# SPDX-License-Identifier: Apache-2.0
# Random programs in which answers of choices are stored, copied, overwritten and read: awk -v seed=N -v count=N.
# The argument of the program says which one runs.
function r(n) { return int(rand() * n) }
function statement(t, depth,    k) {
	k = r(13)
	if (k < 3) return "g[" r(4) "] = (int)heddle_choose(2) + " r(2) ";"
	if (k == 3) return "v = (int)heddle_choose(2);"
	if (k == 4) return "g[" r(4) "] = v;"
	if (k == 5) return "g[" r(4) "] = g[" r(4) "];"
	if (k == 6) return "g[" r(4) "] = " (5 + r(3)) ";"
	if (k == 7) return "pthread_mutex_lock(&m); g[" r(4) "] = v; pthread_mutex_unlock(&m);"
	if (k == 8) return "put(&g[" r(4) "], " r(3) ");"
	if (k == 9) return "memcpy(&g[" r(4) "], &g[" r(4) "], sizeof(g[0]));"
	if (k == 10 && !depth) return "for (int i = 0; i < 2; i++) { " statement(t, 1) " }"
	if (k == 11) return "w = v; v = (int)heddle_choose(2); g[" r(4) "] = w;"
	if (k == 12 && !depth) return "if (g[" r(4) "] == 1) { " statement(t, 1) " }"
	return "g[" r(4) "] += v;"
}
BEGIN {
	srand(seed)
	print "#include <heddle/explore.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
	print "static int g[4];\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
	print "static void put(int *to, int depth)\n{\n\tint v = (int)heddle_choose(2);\n\tif (depth)\n\t\tput(&g[depth], depth - 1);\n\t*to = v;\n}"
	for (p = 0; p < count; p++) {
		for (t = 0; t < 2; t++) {
			printf "static void *p%dt%d(void *unused)\n{\n\tint v = 0, w = 0;\n", p, t
			for (s = 1 + r(3); s; s--) printf "\t%s\n", statement(t, 0)
			print "\t(void)v, (void)w;\n\treturn unused;\n}"
		}
		shown[p] = r(16)
	}
	print "static void *(*const all[][2])(void *) = {"
	for (p = 0; p < count; p++) printf "\t{ p%dt0, p%dt1 },\n", p, p
	print "};\nstatic const int shown[] = {"
	for (p = 0; p < count; p++) printf " %d,", shown[p]
	print " };\nint main(int argc, char **argv)\n{\n\tpthread_t t[2];\n\tint which = atoi(argv[argc - 1]);"
	print "\tfor (int i = 0; i < 2; i++)\n\t\tpthread_create(&t[i], NULL, all[which][i], NULL);"
	print "\tfor (int i = 0; i < 2; i++)\n\t\tpthread_join(t[i], NULL);"
	print "\tfor (int i = 0; i < 4; i++)\n\t\tprintf(\"%d\", shown[which] >> i & 1 ? g[i] : 9);\n\tprintf(\"\\n\");\n\treturn 0;\n}"
}
