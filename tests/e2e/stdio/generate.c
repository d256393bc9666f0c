/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs that print through stdio: two or three threads that print, flush, end the process and
 * the program takes the number of the one to run as its argument.
 *
 *   generate FIRST LAST
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state * 0x2545f4914f6cdd1dull) >> 33) % n;
}

static char letter;		/* each print has its own */

static void print_text(const char *before, const char *after)
{
	unsigned n = 1 + below(3);
	printf("\t%s\"", before);
	for (unsigned i = 0; i < n; i++)
		putchar(letter);
	printf("%s\"%s;\n", below(2) ? "\\n" : "", after);
	letter++;
}

static void print_statement(unsigned program, bool is_main)
{
	switch (below(is_main ? 17 : 18)) {
	case 0: case 1: case 2: print_text("fputs(", ", stdout)"); break;
	case 3: printf("\tputchar('%c');\n", letter++); break;
	case 4: print_text("printf(", ")"); break;
	case 5: print_text("puts(", ")"); break;
	case 6: printf("\tfwrite(\"%c%c%c%c%c%c\", 1, 6, stdout);\n", letter, letter, letter, letter, letter, letter);
		letter++;
		break;
	case 7: printf("\tputchar_unlocked('%c');\n", letter++); break;
	case 8: case 9: printf("\tfflush(stdout);\n"); break;
	case 10: printf("\tfflush(NULL);\n"); break;
	case 11: printf("\tif (write(1, \"%c\", 1) != 1) abort();\n", letter++); break;
	case 12: printf("\tfputs(\"%c\", stderr);\n", letter++); break;
	case 13: case 14: printf("\t%s(p%u_end%u);\n", below(3) ? "atexit" : "at_quick_exit", program, below(2)); break;
	case 15: printf("\tflockfile(stdout);\n\tputc_unlocked('%c', stdout);\n\tfunlockfile(stdout);\n", letter++); break;
	case 16: printf("\tif (second) fputs(\"%c\", second);\n", letter++); break;
	case 17: {
		static const char *const ends[] = { "exit", "exit", "_exit", "quick_exit" };
		printf("\t%s(%u);\n", ends[below(4)], below(2));
		break;
	}
	}
}

static void print_body(unsigned program, bool is_main)
{
	for (unsigned n = 1 + below(2); n; n--)
		print_statement(program, is_main);
}

static void print_buffering(void)
{
	switch (below(5)) {
	case 0: printf("\tsetvbuf(stdout, NULL, _IONBF, 0);\n"); break;
	case 1: printf("\tsetvbuf(stdout, NULL, _IOLBF, 0);\n"); break;
	case 2: printf("\tsetvbuf(stdout, buffer, _IOFBF, 4);\n"); break;
	case 3: printf("\tsetvbuf(stdout, buffer, _IOLBF, 4);\n"); break;
	default: break;
	}
	if (!below(12))
		printf("\tsecond = fdopen(dup(1), \"w\");\n");
}

static void print_end(unsigned threads)
{
	unsigned joined = below(threads + 1);
	for (unsigned t = 0; t < joined; t++)
		printf("\tpthread_join(t[%u], NULL);\n", t);
	switch (below(6)) {
	case 0: printf("\texit(2);\n"); break;
	case 1: printf("\t_exit(3);\n"); break;
	case 2: printf("\tquick_exit(4);\n"); break;
	case 3: printf("\tpthread_exit(NULL);\n"); break;
	default: break;
	}
}

static void print_program(unsigned number)
{
	state = (number + 1) * 0x9e3779b97f4a7c15ull;
	below(2);
	letter = 'A';
	unsigned threads = 1 + !below(4);
	for (unsigned h = 0; h < 2; h++)
		printf("static void p%u_end%u(void)\n{\n\tfputs(\"%u\", stdout);\n}\n", number, h, h);
	for (unsigned t = 0; t < threads; t++) {
		printf("static void *p%u_thread%u(void *unused)\n{\n", number, t);
		print_body(number, false);
		printf("\treturn NULL;\n}\n");
	}
	printf("static int p%u(void)\n{\n\tpthread_t t[2];\n", number);
	print_buffering();
	for (unsigned t = 0; t < threads; t++)
		printf("\tpthread_create(&t[%u], NULL, p%u_thread%u, NULL);\n", t, number, t);
	print_body(number, true);
	print_end(threads);
	printf("\treturn 1;\n}\n\n");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	unsigned first = (unsigned)atoi(argv[1]), last = (unsigned)atoi(argv[2]);
	printf("#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n"
	       "static FILE *second;\nstatic char buffer[4];\n\n");
	for (unsigned i = first; i <= last; i++)
		print_program(i);
	printf("int main(int argc, char **argv)\n{\n\tstatic int (*const programs[])(void) = {\n");
	for (unsigned i = first; i <= last; i++)
		printf("\t\tp%u,\n", i);
	printf("\t};\n\t(void)buffer;\n\treturn argc == 2 ? programs[atoi(argv[1])]() : 2;\n}\n");
	return 0;
}
