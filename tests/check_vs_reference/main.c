/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref: the independent reference for the model checker, as a command.  `ref` alone lists what it
 * can do.
 *
 * Programs are given as files, as seeds, seed:17 or seed:1-250, small:1-250 for small ones,
 * wide:1-250 and mixed:1-250 for those with the phrases of wide.c and mixed.c, promise:1-250 for
 * promises, or as @FILE, which `ref print` wrote; in an executable that `ref c` wrote a program
 * has the number of its place in that list.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit.h"
#include "gen.h"
#include "judge.h"
#include "litmus.h"
#include "shrink.h"

static unsigned first_number;		    /* of the first program in the executable */
static struct judge asked = { .group = 1 }; /* what the options say of it */

/* ---- lists of programs ---- */

typedef void item_fn(const struct item *it, unsigned number, void *arg);

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t room = 4u << 20;
	char *text = calloc(1, room);
	if (!f || !text || !fread(text, 1, room - 1, f))
		die("cannot be read", path);
	fclose(f);
	return text;
}

static void use_text(struct item *it, const char *about, unsigned number, item_fn *use, void *arg)
{
	char error[200];
	if (!prog_parse(&it->prog, it->text, error))
		die(error, about);
	use(it, number, arg);
}

/* A file of several programs: each begins with a line "# NUMBER: NAME". */
static unsigned each_of_list(const char *path, unsigned number, item_fn *use, void *arg)
{
	char *text = read_text(path), *at = text;
	while (at && *at) {
		struct item it = { .text = at };
		char *end = strstr(at + 1, "\n# ");
		if (end)
			*end++ = 0;
		if (sscanf(at, "# %*u: %199s", it.name) != 1)
			die("it is no list of programs", path);
		use_text(&it, path, number++, use, arg);
		at = end;
	}
	free(text);
	return number;
}

/* Random programs of one kind. */
struct family {
	const char *name;
	void (*make)(struct prog *p, uint64_t seed);
};

static const struct family *family_of(const char *spec)
{
	static const struct family families[] = {
		{ "seed:", gen_program },
		{ "small:", gen_small_program },
		{ "wide:", gen_wide_program },
		{ "mixed:", gen_mixed_program },
		{ "promise:", gen_promise_program },
		{ "signals:", gen_signals_program },
	};
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strncmp(spec, families[i].name, strlen(families[i].name)))
			return &families[i];
	return NULL;
}

/* Calls the function for each program; gives how many there were. */
static unsigned each(char *const *specs, item_fn *use, void *arg)
{
	unsigned number = first_number;
	for (; *specs; specs++) {
		struct item it = { .text = NULL };
		unsigned long first, last;
		const struct family *family = family_of(*specs);
		int n = family ? sscanf(strchr(*specs, ':'), ":%lu-%lu", &first, &last) : 0;
		for (unsigned long seed = first; n > 0 && seed <= (n == 2 ? last : first); seed++) {
			family->make(&it.prog, seed);
			snprintf(it.name, sizeof(it.name), "%s%lu", family->name, seed);
			use(&it, number++, arg);
		}
		if (**specs == '@') {
			number = each_of_list(*specs + 1, number, use, arg);
		} else if (n <= 0) {
			it.text = read_text(*specs);
			snprintf(it.name, sizeof(it.name), "%s", *specs);
			use_text(&it, *specs, number++, use, arg);
			free(it.text);
		}
	}
	return number - first_number;
}

/* ---- commands that show ---- */

static void show_program(const struct item *it, unsigned number, void *arg)
{
	(void)arg;
	printf("# %u: %s\n", number, it->name);
	prog_print(&it->prog, stdout);
}

static void show_outcomes(const struct item *it, unsigned number, void *arg)
{
	struct outcomes o = all_outcomes(it, *(enum model *)arg);
	printf("# %u: %s\n", number, it->name);
	outcomes_print(&o, stdout, "");
	outcomes_release(&o);
}

static void show_classes(const struct item *it, unsigned number, void *arg)
{
	struct machine m = { .prog = it->prog,
			     .model = *(enum model *)arg,
			     .spurious = spurious_wakeups };
	uint64_t schedules, classes;
	bool all = search_schedules(&m, 5000, NULL, &schedules, &classes);
	if (all)
		printf("%u %s: %lu schedules, %lu classes\n", number, it->name,
		       (unsigned long)schedules, (unsigned long)classes);
	else
		printf("%u %s: more than 5000 schedules\n", number, it->name);
}

static void show_c(const struct item *it, unsigned number, void *arg)
{
	(void)arg;
	emit_program(&it->prog, number, stdout);
}

/* ---- the reference against itself ---- */

static bool prints_and_parses(const struct item *it)
{
	char text[2][16384], error[200];
	struct prog again;
	for (unsigned i = 0; i < 2; i++) {
		FILE *f = fmemopen(text[i], sizeof(text[i]), "w");
		prog_print(i ? &again : &it->prog, f);
		fclose(f);
		if (!i && !prog_parse(&again, text[0], error))
			return false;
	}
	return !strcmp(text[0], text[1]);
}

static void test_model(struct judge *j, const struct item *it, const struct outcomes *o,
		       enum model model, bool by_force)
{
	struct machine m = { .prog = it->prog, .model = model };
	struct outcomes seen = { 0 }, brute = { 0 };
	uint64_t random = 1, schedules, classes;
	for (unsigned i = 0; i < j->runs; i++) {
		struct outcome x;
		if (search_walk(&m, &random, &x))
			outcomes_add(&seen, &x);
	}
	if (!is_subset(&seen, o))
		differ(j, it, "a random walk finds what the search does not", o, &seen);
	if (by_force && search_schedules(&m, 5000, &brute, &schedules, &classes)) {
		j->executions++;
		if (!is_subset(&brute, o) || !is_subset(o, &brute))
			differ(j, it, "brute force and the search with memory differ", o, &brute);
		if (classes > schedules || classes < o->count)
			differ(j, it, "the number of classes cannot be right", o, &brute);
	}
	outcomes_release(&seen);
	outcomes_release(&brute);
}

static void test_one(const struct item *it, unsigned number, void *arg)
{
	struct judge *j = arg;
	struct outcomes o[MODELS];
	j->programs++;
	for (unsigned m = 0; m < MODELS; m++) {
		o[m] = all_outcomes(it, (enum model)m);
		j->outcomes += o[m].count;
		/* All schedules one by one take most of the time. */
		test_model(j, it, &o[m], (enum model)m, number % 4 == 0);
	}
	if (!is_subset(&o[MODEL_SC], &o[MODEL_TSO]) || !is_subset(&o[MODEL_TSO], &o[MODEL_PSO]) ||
	    !is_subset(&o[MODEL_TSO], &o[MODEL_X86]))
		differ(j, it, "a weaker model has fewer outcomes", &o[MODEL_SC], &o[MODEL_PSO]);
	if (!prints_and_parses(it))
		differ(j, it, "what it prints does not parse to the same", &o[MODEL_SC],
		       &o[MODEL_SC]);
	for (unsigned m = 0; m < MODELS; m++)
		outcomes_release(&o[m]);
}

static void judge_litmus(const struct item *it, unsigned number, void *arg)
{
	struct judge *j = arg;
	unsigned wrong = 0,
		 count = it->text ? litmus_judge(&it->prog, it->text, it->name, &wrong) : 0;
	printf("%s %u - %s: %u expectations\n", wrong || !count ? "not ok" : "ok", number + 1,
	       it->name, count);
	j->bad += wrong || !count;
}

/* ---- shrinking with a command as judge ---- */

struct command {
	const char **argv; /* the candidate's file is its last argument */
	const char *file;
};

static bool command_agrees(const struct prog *p, void *arg)
{
	const struct command *c = arg;
	FILE *f = fopen(c->file, "w");
	if (!f)
		die("cannot be written", c->file);
	prog_print(p, f);
	fclose(f);
	return drive_command(c->argv, 300) == 0;
}

static int do_shrink(char **args, unsigned count)
{
	char file[] = "/tmp/heddle-shrink.XXXXXX", error[200];
	const char *argv[32] = { 0 };
	struct prog p;
	char *text = read_text(args[0]);
	if (!prog_parse(&p, text, error))
		die(error, args[0]);
	free(text);
	close(mkstemp(file));
	for (unsigned i = 1; i < count && i < 31; i++)
		argv[i - 1] = args[i];
	argv[count - 1 < 31 ? count - 1 : 30] = file;
	struct command c = { argv, file };
	bool shows = command_agrees(&p, &c);
	if (shows)
		shrink(&p, command_agrees, &c);
	unlink(file);
	prog_print(&p, stdout);
	if (!shows)
		fprintf(stderr, "ref: the command does not succeed for %s itself\n", args[0]);
	return !shows;
}

/* ---- the command line ---- */

static enum model model_of(const char *name)
{
	for (unsigned m = 0; m < MODELS; m++)
		if (!strcmp(name, model_names[m]))
			return (enum model)m;
	die("no memory model", name);
	return MODEL_SC;
}

static int usage(void)
{
	fputs("usage: ref [--keep DIR] [--without WORD,...] [--from N] [--group N] [--spinning N] "
	      "[--limit N] [--spurious N]\n"
	      "           COMMAND\n"
	      "  print SPEC...                           the programs\n"
	      "  outcomes sc|tso|pso|x86 SPEC...         all outcomes of each\n"
	      "  classes sc|tso|pso|x86 SPEC...          how many schedules, and classes of them\n"
	      "  c SPEC..., c++ SPEC...                  all of them as one C or C++ program\n"
	      "  litmus FILE...                          judge the files' expectations, as TAP\n"
	      "  selftest WALKS SPEC...                  compare the ways to search with each "
	      "other\n"
	      "  native PROGRAM RUNS SPEC...             real runs\n"
	      "  record HEDDLE PROGRAM MODEL RUNS SPEC...   recordings\n"
	      "  check HEDDLE PROGRAM MODEL OPTION... -- SPEC...   heddle check --memory=MODEL "
	      "OPTION...\n"
	      "  shrink FILE COMMAND...                  as long as the command, given a file, "
	      "ends with "
	      "status 0\n"
	      "SPEC: a file, seed:N, seed:N-M, small:N-M, wide:N-M, mixed:N-M, promise:N-M, "
	      "signals:N-M or @LIST, what print wrote.\n"
	      "With --keep\n"
	      "programs that show a difference are written to DIR; --without leaves programs with "
	      "these\n"
	      "instructions out of check;\n"
	      "--from: the first one given is number N of the executable.  --group: check searches "
	      "up to N programs by\n"
	      "one run (at most 32), except those that wait by spinning at --spinning places or "
	      "more; --limit: of programs\n"
	      "with more than N executions only those made are compared;\n"
	      "--spurious: so many waits of each thread on condition variables may end without a "
	      "cause.\n",
	      stderr);
	return 2;
}

static int do_check(char **args, unsigned count)
{
	struct judge j = asked;
	char memory[32], wakeups[32];
	const char *options[16] = { memory, wakeups };
	unsigned n = 2, i = 3;
	snprintf(wakeups, sizeof(wakeups), "--spurious=%u", spurious_wakeups);
	j.target = (struct target){ args[0], args[1], 0 };
	j.model = model_of(args[2]);
	snprintf(memory, sizeof(memory), "--memory=%s", args[2]);
	for (; i < count && strcmp(args[i], "--"); i++)
		if (n < 15)
			options[n++] = args[i];
	if (i >= count)
		return usage();
	j.options = options;
	each(&args[i + 1], judge_check, &j);
	judge_check_rest(&j);
	printf("# %lu executions", (unsigned long)j.executions);
	if (j.limit)
		printf("; %u programs have more than %lu, of which not all were made", j.too_large,
		       (unsigned long)j.limit);
	putchar('\n');
	return sum_up(&j, "heddle check against the reference");
}

static int command(const char *name, char **args, unsigned count)
{
	struct judge j = asked;
	if (!strcmp(name, "print") && count) {
		each(args, show_program, NULL);
	} else if ((!strcmp(name, "outcomes") || !strcmp(name, "classes")) && count > 1) {
		enum model model = model_of(args[0]);
		each(args + 1, *name == 'o' ? show_outcomes : show_classes, &model);
	} else if ((!strcmp(name, "c") || !strcmp(name, "c++")) && count) {
		emit_begin(name[1], stdout);
		emit_end(each(args, show_c, NULL), stdout);
	} else if (!strcmp(name, "litmus") && count) {
		printf("1..%u\n", each(args, judge_litmus, &j));
		return j.bad != 0;
	} else if (!strcmp(name, "selftest") && count > 1) {
		j.runs = (unsigned)strtoul(args[0], NULL, 10);
		each(args + 1, test_one, &j);
		printf("# %lu sets were found by brute force too\n", (unsigned long)j.executions);
		return sum_up(&j, "the reference against itself");
	} else if (!strcmp(name, "native") && count > 2) {
		j.target.program = args[0];
		j.runs = (unsigned)strtoul(args[1], NULL, 10);
		each(args + 2, judge_native, &j);
		return sum_up(&j, "real runs against the reference");
	} else if (!strcmp(name, "record") && count > 4) {
		j.target = (struct target){ args[0], args[1], 0 };
		j.model = model_of(args[2]);
		j.runs = (unsigned)strtoul(args[3], NULL, 10);
		each(args + 4, judge_record, &j);
		return sum_up(&j, "recordings against the reference");
	} else if (!strcmp(name, "check") && count > 4) {
		return do_check(args, count);
	} else if (!strcmp(name, "shrink") && count > 1) {
		return do_shrink(args, count);
	} else {
		return usage();
	}
	return 0;
}

int main(int argc, char **argv)
{
	int at = 1;
	for (; argc > at + 2 && !strncmp(argv[at], "--", 2); at += 2) {
		if (!strcmp(argv[at], "--keep"))
			asked.keep_in = argv[at + 1];
		else if (!strcmp(argv[at], "--without"))
			asked.left_out = argv[at + 1];
		else if (!strcmp(argv[at], "--from"))
			first_number = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else if (!strcmp(argv[at], "--spurious"))
			spurious_wakeups = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else if (!strcmp(argv[at], "--limit"))
			asked.limit = strtoul(argv[at + 1], NULL, 10);
		else if (!strcmp(argv[at], "--spinning"))
			asked.spinning = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else if (!strcmp(argv[at], "--group"))
			asked.group = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else
			return usage();
	}
	if (asked.group < 1 || asked.group > PROGRAMS_MAX)
		return usage();
	return argc > at ? command(argv[at], argv + at + 1, (unsigned)(argc - at - 1)) : usage();
}
