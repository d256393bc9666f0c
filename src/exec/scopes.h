/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and scopes in the debug information of one module: the functions at an address, and
 * the scope prefix of a C++ name.
 */
#ifndef HEDDLE_SCOPES_H
#define HEDDLE_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"

/* Code of one function of a unit; one function may have several pieces. */
struct scopes_piece {
	Dwarf_Addr start, end;
	Dwarf_Die function;
};

struct scopes_unit {
	VEC(struct scopes_piece) pieces; /* sorted, no two with the same start */
};

struct scopes_list {
	VEC(Dwarf_Die) entries; /* in file order */
};

/* Caches; the zero state is empty. */
struct scopes {
	struct map unit_of; /* address of a unit's entry -> index + 1 */
	VEC(struct scopes_unit) units;
	struct map children_of; /* address of an entry -> index + 1 */
	VEC(struct scopes_list) lists;
	struct map text_of; /* address of a declaration -> index + 1 */
	VEC(char *) texts;
};

void scopes_release(struct scopes *s);

struct scopes_functions {
	VEC(Dwarf_Die) at; /* outermost first, each inlined into the one before it */
};

/* The functions of the unit around an address, inlined ones included; the list is replaced. */
void scopes_functions(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address,
		      struct scopes_functions *list);

/* The entry with an entity's name: a definition refers to its declaration, an inlined copy to its
 * origin. */
Dwarf_Die scopes_declaration(Dwarf_Die die);

/* Namespaces, classes and functions around a declaration, each followed by "::"; s keeps the text.
 */
const char *scopes_before(struct scopes *s, Dwarf_Die *declaration);

#endif
