/* SPDX-License-Identifier: Apache-2.0 */
/* Which values a search tried for inputs of any value (wire/nondet.h). */
#include "base/json.h"
#include "binary/nondet_table.h"
#include "check/check.h"

#define TOLD_MAX 16 /* values of one function in the verdict */

bool check_has_sampled_values(const struct check *c)
{
	return c->program.info.nondet.called && c->result.gaps.open_choices;
}

static bool is_called(const struct check *c, unsigned which)
{
	return c->program.info.nondet.called >> which & 1;
}

static void add_function(const struct check *c, struct buf *out, unsigned which)
{
	struct nondet_values values;
	nondet_function_values(&c->program.info.nondet, which, &values);
	buf_printf(out, "%s:", nondet_function(which));
	for (uint32_t i = 0; i < values.count && i < TOLD_MAX; i++) {
		buf_str(out, i ? ", " : " ");
		nondet_print(out, which, values.at[i]);
	}
	if (values.count > TOLD_MAX)
		buf_printf(out, " and %u more", values.count - TOLD_MAX);
	if (values.is_cut)
		buf_str(out, ", not all that the program compares with");
}

void check_add_values(const struct check *c, struct buf *out)
{
	bool is_first = true;
	for (unsigned i = 0; i < nondet_functions(); i++) {
		if (!is_called(c, i))
			continue;
		buf_str(out, is_first ? "" : "; ");
		add_function(c, out, i);
		is_first = false;
	}
}

static void json_function(const struct check *c, struct json *j, unsigned which)
{
	struct nondet_values values;
	struct buf digits = { 0 };
	nondet_function_values(&c->program.info.nondet, which, &values);
	json_begin_object(j);
	json_key(j, "function");
	json_string(j, nondet_function(which));
	json_key(j, "tried");
	json_begin_array(j);
	for (uint32_t i = 0; i < values.count; i++) {
		digits.len = 0;
		nondet_print(&digits, which, values.at[i]);
		json_bytes(j, digits.at, digits.len);
	}
	json_end_array(j);
	json_key(j, "cut");
	json_bool(j, values.is_cut);
	json_end_object(j);
	buf_release(&digits);
}

void check_json_values(const struct check *c, struct json *j)
{
	json_key(j, "values");
	json_begin_array(j);
	for (unsigned i = 0; i < nondet_functions(); i++)
		if (is_called(c, i))
			json_function(c, j, i);
	json_end_array(j);
}
