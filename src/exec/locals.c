/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables by their position in the frame; see locals.h. */
#include "exec/locals.h"

#include <dwarf.h>

#define FRAME_POINTER_DISTANCE \
	(-16) /* from the CFA (after the return address) to where rbp points */

/* The base of DW_OP_fbreg relative to the CFA; false: it is not at a fixed position of the frame.
 */
static bool find_base(Dwarf_Die *function, int64_t size, int64_t *base)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;
	if (dwarf_getlocation(dwarf_attr_integrate(function, DW_AT_frame_base, &attribute), &ops,
			      &count) ||
	    count != 1)
		return false;
	switch (ops[0].atom) {
	case DW_OP_call_frame_cfa:
		*base = 0;
		return true;
	case DW_OP_reg6:
		*base = FRAME_POINTER_DISTANCE;
		return true;
	case DW_OP_breg6:
		*base = FRAME_POINTER_DISTANCE + (int64_t)ops[0].number;
		return true;
	case DW_OP_reg7:
		*base = -size;
		return true;
	default:
		return false;
	}
}

static bool contains(Dwarf_Die *variable, int64_t at, int64_t base, struct local *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	Dwarf_Op *ops;
	Dwarf_Word size;
	size_t count;
	if (dwarf_getlocation(dwarf_attr(variable, DW_AT_location, &attribute), &ops, &count) ||
	    count != 1 || ops[0].atom != DW_OP_fbreg ||
	    !dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) ||
	    dwarf_aggregate_size(&type, &size))
		return false;
	out->from = base + (int64_t)ops[0].number;
	out->to = out->from + (int64_t)size;
	out->name = dwarf_diename(variable);
	if (dwarf_decl_line(variable, &out->line))
		out->line = 0;
	return out->name && at >= out->from && at < out->to;
}

static bool find_below(Dwarf_Die *scope, int64_t at, int64_t base, unsigned depth,
		       struct local *out)
{
	Dwarf_Die child;
	if (depth > 64 || dwarf_child(scope, &child))
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			if (contains(&child, at, base, out))
				return true;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (find_below(&child, at, base, depth + 1, out))
				return true;
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool locals_find(Dwarf_Die *function, int64_t at, int64_t size, struct local *out)
{
	int64_t base;
	return find_base(function, size, &base) && find_below(function, at, base, 0, out);
}
