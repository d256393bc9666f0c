/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and fills the table of values for nondeterministic inputs; see nondet_table.h. */
#include "binary/nondet_table.h"

#include <string.h>

#include "base/file.h"
#include "binary/compared.h"

static const struct {
	const char *name;
	struct nondet_type type;
} functions[] = {
#define NONDET_INTEGER(name, type) \
	{ NONDET_PREFIX #name, { 8 * sizeof(type), (type)-1 < (type)1 } },
#include "wire/nondet.def"
#undef NONDET_INTEGER
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))
_Static_assert(FUNCTIONS <= 32, "one bit for each function");

unsigned nondet_functions(void)
{
	return FUNCTIONS;
}

const char *nondet_function(unsigned which)
{
	return functions[which].name;
}

void nondet_function_values(const struct nondet_table *table, unsigned which,
			    struct nondet_values *out)
{
	nondet_values(table, functions[which].type, out);
}

void nondet_print(struct buf *out, unsigned which, int64_t value)
{
	if (functions[which].type.is_signed)
		buf_printf(out, "%lld", (long long)value);
	else
		buf_printf(out, "%llu", (unsigned long long)value);
}

static uint32_t function_bit(const char *name)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return 1u << i;
	return 0;
}

/* ---- which functions are called ---- */

static void map_slot(void *ctx, uint64_t slot, const char *symbol)
{
	uint32_t bit = function_bit(symbol);
	if (bit)
		*map_put(ctx, slot, NULL) = bit;
}

/* The function that an instruction calls, jumps to, or takes the address of, as its bit. */
static uint32_t called_by(const struct map *bits, const struct sym_instruction *in)
{
	uint64_t target = code_refers_to(in);
	uint64_t *bit = target ? map_get(bits, target) : NULL;
	return bit ? (uint32_t)*bit : 0;
}

static uint32_t called_in_code(const struct calls *calls)
{
	const struct image *img = calls->img;
	struct map bits = { 0 };
	struct sym_instruction in;
	struct code code;
	uint32_t called = 0;
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		if (s->is_defined && function_bit(s->name) && image_is_in_runtime(img, s->address))
			*map_put(&bits, s->address, NULL) = function_bit(s->name);
	}
	image_slots(img, map_slot, &bits);
	for (size_t i = 1; i < img->sections.len && bits.len; i++) {
		if (!calls_covers_section(calls, i) ||
		    !code_of_section(&code, &calls->decoder, img, i))
			continue;
		for (uint64_t at = code.start; at < code.end; at += in.base.length)
			if (code_decode(&code, at, code.end, &in))
				called |= called_by(&bits, &in);
			else
				in.base.length = 1;
	}
	map_release(&bits);
	return called;
}

/* ---- files ---- */

/* Analyse the program itself or a shared library.  A library lists the functions that it imports.
 */
static int read_image(const struct image *img, struct compared *compared, uint32_t *called,
		      struct err *err)
{
	struct calls calls;
	int rc = calls_open(&calls, img, err);
	if (rc)
		return rc;
	*called |= called_in_code(&calls);
	for (size_t i = 0; i < img->symbols.len && !img->has_interpreter; i++)
		if (!img->symbols.at[i].is_defined)
			*called |= function_bit(img->symbols.at[i].name);
	compared_collect(&calls, compared);
	calls_close(&calls);
	return 0;
}

static int read_library(const char *path, struct compared *compared, uint32_t *called,
			struct err *err)
{
	struct buf bytes = { 0 };
	struct image img;
	const char *reason;
	int rc = 0;
	if (!file_read(path, &bytes, NULL)) {
		if (!image_open(&img, bytes.at, bytes.len, &reason) && img.header.e_type == ET_DYN)
			rc = read_image(&img, compared, called, err);
		image_close(&img);
	}
	buf_release(&bytes);
	return rc;
}

static const unsigned char *find_table(const struct image *img)
{
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		if (s->is_defined && !strcmp(s->name, NONDET_TABLE_SYMBOL))
			return image_at(img, s->address, sizeof(struct nondet_table), NULL);
	}
	return NULL;
}

void nondet_table_read(const struct image *img, struct nondet_table *table)
{
	const unsigned char *at = find_table(img);
	if (at)
		memcpy(table, at, sizeof(*table));
	if (!at || table->mark != NONDET_MARK)
		memset(table, 0, sizeof(*table));
}

int nondet_table_patch(const struct image *img, unsigned char *bytes, const struct words *files,
		       bool *is_patched, struct err *err)
{
	struct compared compared = { 0 };
	struct nondet_table table;
	nondet_table_read(img, &table);
	*is_patched = false;
	if (table.mark != NONDET_MARK)
		return 0;
	int rc = read_image(img, &compared, &table.called, err);
	for (size_t i = 0; i < files->list.len && !rc; i++)
		rc = read_library(files->list.at[i], &compared, &table.called, err);
	if (!rc && table.called) {
		size_t count = compared.list.len;
		table.count = count < NONDET_COMPARED_MAX ? (uint32_t)count : NONDET_COMPARED_MAX;
		table.left_out = (uint32_t)(count - table.count);
		if (count)
			memcpy(table.compared, compared.list.at,
			       table.count * sizeof(table.compared[0]));
		memcpy(bytes + (find_table(img) - img->bytes), &table, sizeof(table));
		*is_patched = true;
	}
	compared_release(&compared);
	return rc;
}
