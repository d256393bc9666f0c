/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and scopes that src/exec/scopes.c finds in a program's debug information, compared
 * with what libdw finds by walking through the whole unit.  Usage: scopes COUNT PROGRAM...
 *
 * Of each program COUNT addresses are taken, spread evenly over its table of lines, and the
 * address before each, which is another function's or nobody's.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/scopes.h"

struct tally {
	size_t compared, functions, inlined, scoped, wrong;
};

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/* As libdw has it: the first with a name, from the inside to the outside.  It does not look below
 * namespaces. */
static bool reference_function(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *function)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(unit, address, &scopes);
	bool is_found = false;
	for (int i = 0; i < n && !is_found; i++) {
		is_found = is_function(&scopes[i]) && dwarf_diename(&scopes[i]);
		if (is_found)
			*function = scopes[i];
	}
	free(scopes);
	return is_found;
}

/* All of them, by looking at each entry (libdw leaves the function that another one was inlined
 * into). */
static bool reference_chain(Dwarf_Die *scope, Dwarf_Addr address, struct scopes_functions *list)
{
	Dwarf_Die die;
	for (int rc = dwarf_child(scope, &die); !rc; rc = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_namespace && reference_chain(&die, address, list))
			return true;
		if (dwarf_haspc(&die, address) <= 0)
			continue;
		if (is_function(&die))
			vec_push(&list->at, die);
		reference_chain(&die, address, list);
		return true;
	}
	return false;
}

static bool is_same(const struct scopes_functions *x, const struct scopes_functions *y)
{
	bool is_same = x->at.len == y->at.len;
	for (size_t i = 0; is_same && i < x->at.len; i++)
		is_same = x->at.at[i].addr == y->at.at[i].addr;
	return is_same;
}

/* The text that stands before the name, with names of scopes that are as libdw lists them. */
static void reference_before(Dwarf_Die *declaration, struct buf *out)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(declaration, &scopes);
	buf_str(out, "");
	for (int i = n - 1; i > 0; i--) {
		Dwarf_Die named = scopes_declaration(scopes[i]);
		const char *name = dwarf_diename(&named);
		int tag = dwarf_tag(&scopes[i]);
		bool is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
				tag == DW_TAG_union_type;
		if (tag == DW_TAG_namespace || is_class || (tag == DW_TAG_subprogram && name))
			buf_printf(out, "%s::",
				   name	      ? name
				   : is_class ? "{lambda}"
					      : "(anonymous namespace)");
	}
	free(scopes);
}

static const void *last_with_name(struct scopes_functions *list)
{
	for (size_t i = list->at.len; i-- > 0;)
		if (dwarf_diename(&list->at.at[i]))
			return list->at.at[i].addr;
	return NULL;
}

static void compare_names(struct scopes *s, Dwarf_Die *ours, struct tally *t)
{
	struct buf text = { 0 };
	Dwarf_Die declaration = scopes_declaration(*ours);
	reference_before(&declaration, &text);
	const char *before = scopes_before(s, &declaration);
	if (strcmp(before, text.at)) {
		printf("# %s is in '%s' instead of '%s'\n", dwarf_diename(ours), before, text.at);
		t->wrong++;
	}
	t->functions++;
	t->inlined += dwarf_tag(ours) == DW_TAG_inlined_subroutine;
	t->scoped += *before != 0;
	buf_release(&text);
}

static void compare(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address, struct tally *t)
{
	struct scopes_functions ours = { 0 }, theirs = { 0 };
	scopes_functions(s, unit, address, &ours);
	reference_chain(unit, address, &theirs);
	t->compared++;
	Dwarf_Die innermost;
	bool has_innermost = reference_function(unit, address, &innermost);
	if (!is_same(&ours, &theirs)) {
		printf("# %#llx: %zu functions instead of %zu\n", (unsigned long long)address,
		       ours.at.len, theirs.at.len);
		t->wrong++;
	} else if (has_innermost && innermost.addr != last_with_name(&ours)) {
		printf("# %#llx: another function than %s\n", (unsigned long long)address,
		       dwarf_diename(&innermost));
		t->wrong++;
	}
	if (ours.at.len)
		compare_names(s, &vec_last(&ours.at), t);
	vec_release(&ours.at);
	vec_release(&theirs.at);
}

/* Addresses of all units count through; every `step`th is compared. */
static size_t go_through(Dwarf *dwarf, struct scopes *s, size_t step, struct tally *t)
{
	size_t number = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split)) {
		Dwarf_Lines *lines;
		size_t count;
		if (dwarf_getsrclines(&unit, &lines, &count))
			continue;
		for (size_t i = 0; i < count; i++, number++) {
			Dwarf_Addr address;
			if (!step || number % step ||
			    dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) || !address)
				continue;
			compare(s, &unit, address, t);
			compare(s, &unit, address - 1, t);
		}
	}
	return number;
}

int main(int argc, char **argv)
{
	size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int status = !count;
	for (int i = 2; i < argc && count; i++) {
		int fd = open(argv[i], O_RDONLY);
		Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
		struct scopes s = { 0 };
		struct tally t = { 0 };
		if (dwarf) {
			size_t lines = go_through(dwarf, &s, 0, &t);
			go_through(dwarf, &s, 1 + lines / count, &t);
		}
		printf("# %s: %zu addresses, %zu in functions, %zu of them inlined, %zu with "
		       "scopes; %zu differ\n",
		       argv[i], t.compared, t.functions, t.inlined, t.scoped, t.wrong);
		/* What compares nothing proves nothing. */
		if (t.wrong || t.functions < count / 2)
			status = 1;
		scopes_release(&s);
		dwarf_end(dwarf);
		if (fd >= 0)
			close(fd);
	}
	return status;
}
