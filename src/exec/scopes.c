/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and scopes; see scopes.h.
 *
 * libdw's own functions (dwarf_getscopes, dwarf_getscopes_die) walk through the whole unit for
 * each query, and a C++ unit has a hundred thousand entries, most of them from headers.  Here the
 * functions of a unit are listed once and sorted by address.  The scopes around an entry follow
 * from its position: an entry precedes its children in the file, so of several siblings the one
 * that contains a position is the last one that is not after it.  Only the siblings on the path
 * are visited, and they are cached.
 *
 * Functions are searched directly below the unit and below its namespaces, and inlined ones below
 * those.
 *
 * tests/harness/scopes.c compares the results with libdw's.
 */
#include "exec/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include "base/search.h"

void scopes_release(struct scopes *s)
{
	for (size_t i = 0; i < s->units.len; i++)
		vec_release(&s->units.at[i].pieces);
	for (size_t i = 0; i < s->lists.len; i++)
		vec_release(&s->lists.at[i].entries);
	for (size_t i = 0; i < s->texts.len; i++)
		mem_free(s->texts.at[i]);
	vec_release(&s->units);
	vec_release(&s->lists);
	vec_release(&s->texts);
	map_release(&s->unit_of);
	map_release(&s->children_of);
	map_release(&s->text_of);
}

/* The address in memory identifies an entry; offsets are not unique across the sections of a file.
 */
static uint64_t key_of(const Dwarf_Die *die)
{
	return (uint64_t)(uintptr_t)die->addr;
}

static const struct scopes_list *children(struct scopes *s, Dwarf_Die *die)
{
	bool is_new;
	uint64_t *slot = map_put(&s->children_of, key_of(die), &is_new);
	if (is_new) {
		struct scopes_list *list = vec_add(&s->lists);
		*slot = s->lists.len;
		Dwarf_Die child;
		const char *before = die->addr;
		/* In a damaged file a sibling may precede the previous one. */
		for (int rc = dwarf_child(die, &child); !rc && (const char *)child.addr > before;
		     rc = dwarf_siblingof(&child, &child)) {
			before = child.addr;
			vec_push(&list->entries, child);
		}
	}
	return &s->lists.at[*slot - 1];
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Whether functions may be inlined into the entry. */
static bool has_code(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct scopes_piece *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (const char *)x->function.addr < (const char *)y->function.addr ? -1 : 1;
}

static void list_pieces(struct scopes_unit *u, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &start, &end)) > 0;) {
		struct scopes_piece piece = { start, end, *function };
		if (start && start < end)
			vec_push(&u->pieces, piece);
	}
}

/* List functions directly below the unit, and those that clang puts below their namespace. */
static void list_below(struct scopes *s, struct scopes_unit *u, Dwarf_Die *scope)
{
	size_t count = children(s, scope)->entries.len;
	for (size_t i = 0; i < count; i++) {
		/* fetched anew each time: recursion may reallocate the lists */
		Dwarf_Die die = children(s, scope)->entries.at[i];
		if (is_function(&die))
			list_pieces(u, &die);
		else if (dwarf_tag(&die) == DW_TAG_namespace)
			list_below(s, u, &die);
	}
}

/*
 * Functions that the linker has dropped begin at 0.  Of several functions that it has merged the
 * first is kept.
 */
static void list_functions(struct scopes *s, struct scopes_unit *u, Dwarf_Die *unit)
{
	list_below(s, u, unit);
	if (!u->pieces.len)
		return;
	qsort(u->pieces.at, u->pieces.len, sizeof(*u->pieces.at), by_start);
	size_t kept = 1;
	for (size_t i = 1; i < u->pieces.len; i++)
		if (u->pieces.at[i].start != u->pieces.at[kept - 1].start)
			u->pieces.at[kept++] = u->pieces.at[i];
	u->pieces.len = kept;
}

static const struct scopes_unit *unit_at(struct scopes *s, Dwarf_Die *unit)
{
	bool is_new;
	uint64_t *slot = map_put(&s->unit_of, key_of(unit), &is_new);
	if (is_new) {
		*slot = s->units.len + 1;
		list_functions(s, vec_add(&s->units), unit);
	}
	return &s->units.at[*slot - 1];
}

static const struct scopes_piece *piece_with(const struct scopes_unit *u, Dwarf_Addr address)
{
	size_t low = partition_point(u->pieces.len, i, u->pieces.at[i].start <= address);
	return low && address < u->pieces.at[low - 1].end ? &u->pieces.at[low - 1] : NULL;
}

/* Descend to the child that contains the address: a block, or an inlined function. */
static bool step_inside(struct scopes *s, Dwarf_Die *at, Dwarf_Addr address)
{
	const struct scopes_list *list = children(s, at);
	for (size_t i = 0; i < list->entries.len; i++) {
		if (has_code(&list->entries.at[i]) &&
		    dwarf_haspc(&list->entries.at[i], address) > 0) {
			*at = list->entries.at[i];
			return true;
		}
	}
	return false;
}

void scopes_functions(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address,
		      struct scopes_functions *list)
{
	const struct scopes_piece *piece = piece_with(unit_at(s, unit), address);
	list->at.len = 0;
	if (!piece)
		return;
	Dwarf_Die at = piece->function;
	do {
		if (is_function(&at))
			vec_push(&list->at, at);
	} while (step_inside(s, &at, address));
}

Dwarf_Die scopes_declaration(Dwarf_Die die)
{
	static const unsigned references[] = { DW_AT_abstract_origin, DW_AT_specification };
	for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++) {
		Dwarf_Attribute attribute;
		Dwarf_Die next;
		if (dwarf_formref_die(dwarf_attr(&die, references[i], &attribute), &next))
			die = next;
	}
	return die;
}

static void add_name(Dwarf_Die *scope, struct buf *out)
{
	const char *name = NULL;
	Dwarf_Die named = scopes_declaration(*scope);
	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		name = dwarf_diename(&named);
		name = name ? name : "(anonymous namespace)";
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		name = dwarf_diename(&named);
		name = name ? name : "{lambda}"; /* or another class without a name */
		break;
	case DW_TAG_subprogram:
		name = dwarf_diename(&named);
		break;
	}
	if (name)
		buf_printf(out, "%s::", name);
}

/* Descend to the child that contains `wanted`: the last one that is not after it. */
static bool step_towards(struct scopes *s, Dwarf_Die *at, const Dwarf_Die *wanted)
{
	const struct scopes_list *list = children(s, at);
	size_t low = partition_point(list->entries.len, i,
				     (const char *)list->entries.at[i].addr <=
					     (const char *)wanted->addr);
	if (!low)
		return false;
	*at = list->entries.at[low - 1];
	return true;
}

const char *scopes_before(struct scopes *s, Dwarf_Die *declaration)
{
	bool is_new;
	uint64_t *slot = map_put(&s->text_of, key_of(declaration), &is_new);
	if (is_new) {
		struct buf text = { 0 };
		Dwarf_Die at;
		buf_str(&text, "");
		bool is_known = dwarf_diecu(declaration, &at, NULL, NULL);
		while (is_known && at.addr != declaration->addr) {
			add_name(&at, &text);
			is_known = step_towards(s, &at, declaration);
		}
		vec_push(&s->texts, buf_take(&text));
		*slot = s->texts.len;
	}
	return s->texts.at[*slot - 1];
}
