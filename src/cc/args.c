/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a compiler command line.
 *
 * To split a command correctly, two facts about each option are needed: whether the next word is
 * its value, and which steps it is for.  Both are in the tables below.  An option that is not in
 * the tables is passed to every step, which both compilers accept.
 */
#include "cc/args.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cc/response.h"

struct option {
	const char *name;
	enum cc_role role;
	bool has_value; /* when spelled exactly like this, the next word is its value */
	bool is_prefix; /* the entry also covers longer words with this prefix */
};

static const struct option options[] = {
	{ "--bitcode", ROLE_OURS, false, false },
	{ "--for=", ROLE_OURS, false, true },
	{ "--heddle-verbose", ROLE_OURS, false, false },
	{ "--output", ROLE_OUTPUT, true, false },
	{ "--param", ROLE_COMPILE, true, false },
	{ "--sysroot", ROLE_BOTH, true, false },
	{ "-A", ROLE_COMPILE, true, true },
	{ "-B", ROLE_BOTH, true, true },
	{ "-D", ROLE_COMPILE, true, true },
	{ "-I", ROLE_COMPILE, true, true },
	{ "-L", ROLE_LINK, true, true },
	{ "-MD", ROLE_DEPEND, false, false },
	{ "-MF", ROLE_DEPEND, true, true },
	{ "-MG", ROLE_DEPEND, false, false },
	{ "-MJ", ROLE_DEPEND, true, true },
	{ "-MMD", ROLE_DEPEND, false, false },
	{ "-MP", ROLE_DEPEND, false, false },
	{ "-MQ", ROLE_DEPEND, true, true },
	{ "-MT", ROLE_DEPEND, true, true },
	{ "-T", ROLE_LINK, true, true },
	{ "-U", ROLE_COMPILE, true, true },
	{ "-Wl,", ROLE_LINK, false, true },
	{ "-Xassembler", ROLE_COMPILE, true, false },
	{ "-Xclang", ROLE_COMPILE, true, false },
	{ "-Xlinker", ROLE_LINK, true, false },
	{ "-Xpreprocessor", ROLE_COMPILE, true, false },
	{ "-arch", ROLE_BOTH, true, false },
	{ "-aux-info", ROLE_COMPILE, true, false },
	{ "-dumpbase", ROLE_COMPILE, true, false },
	{ "-dumpbase-ext", ROLE_COMPILE, true, false },
	{ "-dumpdir", ROLE_COMPILE, true, false },
	{ "-e", ROLE_LINK, true, false },
	/* The link step would add the compiler's OpenMP library; heddle has one of its own. */
	{ "-fopenmp", ROLE_COMPILE, false, false },
	{ "-fopenmp=", ROLE_COMPILE, false, true },
	{ "-ftree-parallelize-loops=", ROLE_COMPILE, false, true },
	{ "-fuse-ld=", ROLE_LINK, false, true },
	{ "-idirafter", ROLE_COMPILE, true, true },
	{ "-imacros", ROLE_COMPILE, true, true },
	{ "-imultilib", ROLE_COMPILE, true, false },
	{ "-include", ROLE_COMPILE, true, false },
	{ "-include-pch", ROLE_COMPILE, true, false },
	{ "-iprefix", ROLE_COMPILE, true, true },
	{ "-iquote", ROLE_COMPILE, true, true },
	{ "-isysroot", ROLE_BOTH, true, true },
	{ "-isystem", ROLE_COMPILE, true, true },
	{ "-iwithprefix", ROLE_COMPILE, true, false },
	{ "-iwithprefixbefore", ROLE_COMPILE, true, false },
	{ "-l", ROLE_LINK, true, true },
	{ "-mllvm", ROLE_COMPILE, true, false },
	{ "-no-pie", ROLE_LINK, false, false },
	{ "-nodefaultlibs", ROLE_LINK, false, false },
	{ "-nolibc", ROLE_LINK, false, false },
	{ "-nostartfiles", ROLE_LINK, false, false },
	{ "-nostdlib", ROLE_LINK, false, false },
	{ "-o", ROLE_OUTPUT, true, false },
	{ "-pie", ROLE_LINK, false, false },
	{ "-r", ROLE_LINK, false, false },
	{ "-rdynamic", ROLE_LINK, false, false },
	{ "-rpath", ROLE_LINK, true, false },
	{ "-s", ROLE_LINK, false, false },
	{ "-shared", ROLE_LINK, false, false },
	{ "-shared-libgcc", ROLE_LINK, false, false },
	{ "-specs", ROLE_BOTH, true, false },
	{ "-static-libgcc", ROLE_LINK, false, false },
	{ "-target", ROLE_BOTH, true, false },
	{ "-u", ROLE_LINK, true, false },
	{ "-wrapper", ROLE_BOTH, true, false },
	{ "-x", ROLE_LANGUAGE, true, true },
	{ "-z", ROLE_LINK, true, false },
};

/* Options that query the compiler itself; -v only does so when there is no input. */
static const char *const queries[] = {
	"-###",		"--version",  "--help", "--target-help", "-dumpversion", "-dumpfullversion",
	"-dumpmachine", "-dumpspecs", "-V",	"-qversion",	 "--print-",	 "-print-",
	"--help=",	"--analyze",  "-cc1",	"-emit-ast",
};

/* Options whose side files are named after the output: compiling to a temporary name would
 * misplace them. */
static const char *const side_files[] = {
	"-MD",
	"-MMD",
	"-save-temps",
	"--save-temps",
	"-fdump-",
	"-ftest-coverage",
	"--coverage",
	"-coverage",
	"-fprofile-arcs",
	"-fprofile-generate",
	"-gsplit-dwarf",
	"-fstack-usage",
	"-fcallgraph-info",
};

static bool begins(const char *word, const char *start)
{
	return !strncmp(word, start, strlen(start));
}

static bool begins_with_any(const char *word, const char *const *starts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins(word, starts[i]))
			return true;
	return false;
}

static const struct option *find_option(const char *word)
{
	const struct option *best = NULL;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const struct option *o = &options[i];
		if (!strcmp(word, o->name))
			return o;
		/* The longest matching prefix wins: -include-pch is not -i..., -MMD is not -M. */
		if (o->is_prefix && begins(word, o->name) &&
		    (!best || strlen(o->name) > strlen(best->name)))
			best = o;
	}
	return best;
}

static enum cc_input input_by_language(const char *language)
{
	static const char *const c_like[] = { "c",
					      "cpp-output",
					      "c++",
					      "c++-cpp-output",
					      "objective-c",
					      "objective-c-cpp-output",
					      "objective-c++",
					      "objective-c++-cpp-output" };
	if (begins(language, "assembler"))
		return INPUT_ASSEMBLER;
	if (strstr(language, "-header"))
		return INPUT_HEADER;
	for (size_t i = 0; i < sizeof(c_like) / sizeof(*c_like); i++)
		if (!strcmp(language, c_like[i]))
			return INPUT_C;
	return INPUT_OTHER;
}

static enum cc_input input_by_name(const char *path)
{
	static const struct {
		const char *suffixes; /* each between dots */
		enum cc_input kind;
	} known[] = {
		{ ".c.i.cc.cp.cxx.cpp.CPP.c++.C.ii.m.mi.mm.M.mii.", INPUT_C },
		{ ".h.H.hh.hp.hxx.hpp.HPP.h++.tcc.", INPUT_HEADER },
		{ ".s.S.sx.", INPUT_ASSEMBLER },
	};
	const char *dot = strrchr(file_base_name(path), '.');
	if (!dot || !dot[1])
		return INPUT_LINKER;
	struct buf wanted = { 0 };
	buf_printf(&wanted, "%s.", dot);
	enum cc_input kind = INPUT_LINKER;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(known[i].suffixes, wanted.at))
			kind = known[i].kind;
	buf_release(&wanted);
	return kind;
}

/* The runtimes of sanitizers conflict with heddle's.  Only traps need no runtime and are allowed.
 */
static int check_sanitizer(const char *list, bool has_traps, struct err *err)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		bool is_undefined = len == strlen("undefined") && !strncmp(list, "undefined", len);
		const char *except =
			is_undefined ? ", except with -fsanitize-undefined-trap-on-error" : "";
		if (!is_undefined || !has_traps)
			return err_set(err, ERR_USAGE,
				       "-fsanitize=%.*s cannot be combined with heddle%s", (int)len,
				       list, except);
		list += len + (list[len] == ',');
	}
	return 0;
}

static int check_refused(const struct words *raw, struct err *err)
{
	bool has_traps = words_contain(raw, "-fsanitize-undefined-trap-on-error") ||
			 words_contain(raw, "-fsanitize-trap=undefined") ||
			 words_contain(raw, "-fsanitize-trap=all") ||
			 words_contain(raw, "-fsanitize-trap");
	for (size_t i = 0; i < raw->list.len; i++) {
		const char *w = raw->list.at[i];
		const char *why = NULL;
		if (!strcmp(w, "-static") || !strcmp(w, "--static") || !strcmp(w, "-static-pie"))
			why = "heddle's runtime needs the dynamic linker";
		if (!strcmp(w, "-m32") || !strcmp(w, "-mx32") || !strcmp(w, "-m16"))
			why = "heddle supports x86-64 only";
		if (!strcmp(w, "-static-libstdc++"))
			why = "heddle interposes functions of the shared libstdc++";
		if (!strcmp(w, "-stdlib=libc++"))
			why = "heddle supports libstdc++ only";
		if (!strcmp(w, "-fopenacc"))
			why = "heddle has no OpenACC library";
		if (!strcmp(w, "-mcmodel=large"))
			why = "calls of hooks through registers hide late stores";
		if (why)
			return err_set(err, ERR_USAGE, "%s is not possible, because %s", w, why);
		if (begins(w, "-fsanitize=")) {
			int rc = check_sanitizer(w + strlen("-fsanitize="), has_traps, err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

/* Options that reach the linker only, such as those of -Wl and -Xlinker. */
static void note_linker_word(struct cc_args *a, const char *word)
{
	if (!strcmp(word, "-shared") || !strcmp(word, "--shared") || !strcmp(word, "-Bshareable"))
		a->is_shared = true;
	if (!strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-i"))
		a->is_relocatable = true;
}

static void note_option(struct cc_args *a, const struct cc_word *w)
{
	const char *t = w->text;
	note_linker_word(a,
			 w->role == ROLE_LINK && w->value && !strcmp(t, "-Xlinker") ? w->value : t);
	if (begins(t, "-Wl,")) {
		struct words parts = { 0 };
		struct buf spaced = { 0 };
		buf_str(&spaced, t + strlen("-Wl,"));
		for (char *p = spaced.at; *p; p++)
			*p = *p == ',' ? '\n' : *p;
		response_split(spaced.at, spaced.len, &parts);
		for (size_t i = 0; i < parts.list.len; i++)
			note_linker_word(a, parts.list.at[i]);
		buf_release(&spaced);
		words_release(&parts);
	}
	if (!strcmp(t, "-E") || !strcmp(t, "-M") || !strcmp(t, "-MM"))
		a->mode = CC_PREPROCESS;
	else if ((!strcmp(t, "-c") || !strcmp(t, "-S") || !strcmp(t, "-fsyntax-only")) &&
		 a->mode == CC_LINK)
		a->mode = CC_COMPILE;
	a->has_no_libc |=
		!strcmp(t, "-nostdlib") || !strcmp(t, "-nodefaultlibs") || !strcmp(t, "-nolibc");
	a->is_freestanding |= !strcmp(t, "-ffreestanding") || !strcmp(t, "-fno-hosted");
	a->is_quiet |= !strcmp(t, "-w");
	a->is_verbose |= !strcmp(t, "--heddle-verbose");
	a->has_bitcode |= !strcmp(t, "--bitcode");
	if (begins(t, "--for="))
		a->purpose = t + strlen("--for=");
	a->is_strict |=
		!strcmp(t, "-Werror") || begins(t, "-Werror=") || !strcmp(t, "-pedantic-errors");
	if (begins(t, "-flto"))
		a->has_lto = true;
	a->has_side_files |=
		begins_with_any(t, side_files, sizeof(side_files) / sizeof(*side_files));
	if (!strcmp(t, "-fopenmp") || begins(t, "-fopenmp="))
		a->openmp = t;
	if (!strcmp(t, "-fno-openmp"))
		a->openmp = NULL;
	if (w->role == ROLE_OUTPUT)
		a->output = w->value ? w->value : t + strlen("-o");
}

/* The compiler's OpenMP library, in whose place heddle's is linked. */
static bool is_openmp_library(const char *path)
{
	const char *base = file_base_name(path);
	return !strcmp(path, "-lgomp") || !strcmp(base, "libgomp.a") || begins(base, "libgomp.so");
}

static void add_input(struct cc_args *a, const char *path, const char *language)
{
	struct cc_word *w = vec_add(&a->words);
	w->role = is_openmp_library(path) ? ROLE_OURS : ROLE_INPUT;
	w->text = mem_strdup(path);
	w->language = language ? mem_strdup(language) : NULL;
	w->input = language ? input_by_language(language) : input_by_name(path);
	a->sources += w->input != INPUT_LINKER;
	a->c_sources += w->input == INPUT_C || w->input == INPUT_HEADER;
}

static void add_option(struct cc_args *a, const struct words *raw, size_t *i)
{
	const char *text = raw->list.at[*i];
	const struct option *o = find_option(text);
	bool takes_next = o && o->has_value && !strcmp(text, o->name) && *i + 1 < raw->list.len;
	struct cc_word *w = vec_add(&a->words);
	w->role = o ? o->role : ROLE_BOTH;
	w->text = mem_strdup(text);
	/* -o may be joined to its value. */
	if (!o && begins(text, "-o") && text[2])
		w->role = ROLE_OUTPUT;
	if (takes_next)
		w->value = mem_strdup(raw->list.at[++*i]);
	if (is_openmp_library(text) ||
	    (!strcmp(text, "-l") && w->value && !strcmp(w->value, "gomp")))
		w->role = ROLE_OURS;
	note_option(a, w);
}

/* All inputs are headers: the compiler writes a precompiled header, not a program. */
static bool has_only_headers(const struct cc_args *a)
{
	size_t inputs = 0;
	for (size_t i = 0; i < a->words.len; i++) {
		if (a->words.at[i].role != ROLE_INPUT)
			continue;
		if (a->words.at[i].input != INPUT_HEADER)
			return false;
		inputs++;
	}
	return inputs > 0;
}

int cc_args_parse(struct cc_args *a, int argc, char **argv, struct err *err)
{
	memset(a, 0, sizeof(*a));
	a->mode = CC_LINK;
	const char *quiet = getenv("HEDDLE_QUIET");
	a->is_quiet = quiet && !strcmp(quiet, "1");
	struct words raw = { 0 };
	int rc = 0;
	for (int i = 1; i < argc && !rc; i++)
		rc = response_expand(argv[i], &raw, err);
	bool is_query = false, has_libc = false;
	const char *language = NULL;
	size_t inputs = 0;
	for (size_t i = 0; i < raw.list.len && !rc; i++) {
		const char *word = raw.list.at[i];
		if (word[0] != '-' || !word[1]) {
			add_input(a, word, language);
			inputs++;
			continue;
		}
		is_query |= begins_with_any(word, queries, sizeof(queries) / sizeof(*queries));
		has_libc |= !strcmp(word, "-lc");
		add_option(a, &raw, &i);
		const struct cc_word *w = &vec_last(&a->words);
		inputs += w->role == ROLE_LINK && begins(w->text, "-l");
		if (w->role == ROLE_LANGUAGE) {
			language = w->value ? w->value : w->text + strlen("-x");
			language = strcmp(language, "none") ? language : NULL;
		}
	}
	a->has_no_libc &= !has_libc;
	if (has_only_headers(a) && a->mode == CC_LINK)
		a->mode = CC_COMPILE;
	if (is_query || !inputs)
		a->mode = CC_PASS;
	if (!rc && a->mode != CC_PASS)
		rc = check_refused(&raw, err);
	a->is_for_run = a->purpose && !strcmp(a->purpose, "run");
	if (!rc && a->purpose && !a->is_for_run && strcmp(a->purpose, "check"))
		rc = err_set(err, ERR_USAGE,
			     "--for=%s: programs are built for 'check' (the default) or for 'run'",
			     a->purpose);
	words_release(&raw);
	return rc;
}

void cc_args_release(struct cc_args *a)
{
	for (size_t i = 0; i < a->words.len; i++) {
		mem_free(a->words.at[i].text);
		mem_free(a->words.at[i].value);
		mem_free(a->words.at[i].language);
	}
	vec_release(&a->words);
	*a = (struct cc_args){ 0 };
}
