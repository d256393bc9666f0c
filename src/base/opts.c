/* SPDX-License-Identifier: Apache-2.0 */
/* Table-driven option parsing; see opts.h. */
#include "base/opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static const struct opt *find_long(const struct opt *table, const char *name, size_t len)
{
	for (; table && table->name; table++)
		if (strlen(table->name) == len && !memcmp(table->name, name, len))
			return table;
	return NULL;
}

static const struct opt *find_short(const struct opt *table, char c)
{
	for (; table && table->name; table++)
		if (table->short_name == c)
			return table;
	return NULL;
}

static void list_choices(const struct opt *o, char sep, struct buf *out)
{
	for (int i = 0; o->choices[i]; i++) {
		if (i)
			buf_char(out, sep);
		buf_str(out, o->choices[i]);
	}
}

static int store(const struct opt_spec *spec, const struct opt *o, const char *value,
		 struct err *err)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->target = true;
		return 0;
	case OPT_STRING:
		*(const char **)o->target = value;
		return 0;
	case OPT_NUMBER: {
		char *end;
		errno = 0;
		unsigned long long n = strtoull(value, &end, 0);
		if (errno || end == value || *end || *value == '-' || n < o->low || n > o->high)
			return err_set(err, ERR_USAGE,
				       "heddle %s: --%s takes a number from %llu to %llu, not '%s'",
				       spec->command, o->name, (unsigned long long)o->low,
				       (unsigned long long)o->high, value);
		*(uint64_t *)o->target = n;
		return 0;
	}
	case OPT_CHOICE:
		for (int i = 0; o->choices[i]; i++) {
			if (!strcmp(o->choices[i], value)) {
				*(int *)o->target = i;
				return 0;
			}
		}
		struct buf all = { 0 };
		list_choices(o, ' ', &all);
		int rc = err_set(err, ERR_USAGE, "heddle %s: --%s is one of %s, not '%s'",
				 spec->command, o->name, all.at, value);
		buf_release(&all);
		return rc;
	}
	return 0;
}

int opts_parse(const struct opt_spec *spec, int argc, char **argv, int *operand, bool *help,
	       struct err *err)
{
	int i = 1;
	*help = false;
	for (; i < argc; i++) {
		const char *word = argv[i], *value = NULL;
		const struct opt *o;
		if (word[0] != '-' || !word[1])
			break;
		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			*help = true;
			return 0;
		}
		if (word[1] == '-') {
			size_t len = strcspn(word + 2, "=");
			o = find_long(spec->table, word + 2, len);
			o = o ? o : find_long(spec->shared, word + 2, len);
			value = word[2 + len] ? word + 3 + len : NULL;
		} else {
			o = find_short(spec->table, word[1]);
			o = o ? o : find_short(spec->shared, word[1]);
			value = word[2] ? word + 2 : NULL;
		}
		if (!o)
			return err_set(err, ERR_USAGE,
				       "heddle %s: unknown option '%s'; see 'heddle %s --help'",
				       spec->command, word, spec->command);
		if (o->kind == OPT_FLAG && value)
			return err_set(err, ERR_USAGE, "heddle %s: option --%s takes no value",
				       spec->command, o->name);
		if (o->kind != OPT_FLAG && !value) {
			if (i + 1 >= argc)
				return err_set(err, ERR_USAGE,
					       "heddle %s: option --%s needs a value",
					       spec->command, o->name);
			value = argv[++i];
		}
		int rc = store(spec, o, value, err);
		if (rc)
			return rc;
	}
	*operand = i;
	return 0;
}

static void print_wrapped(FILE *out, const char *text, int indent)
{
	int column = indent;
	while (*text) {
		size_t word = strcspn(text, " \n");
		if (column + (int)word + 1 > 100 && column > indent) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		fprintf(out, "%s%.*s", column > indent ? " " : "", (int)word, text);
		column += (int)word + 1;
		text += word;
		if (*text == '\n') {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		if (*text)
			text++;
	}
	fputc('\n', out);
}

static void print_table(const struct opt *table, FILE *out)
{
	for (const struct opt *o = table; o && o->name; o++) {
		struct buf left = { 0 };
		if (o->short_name)
			buf_printf(&left, "  -%c, --%s", o->short_name, o->name);
		else
			buf_printf(&left, "      --%s", o->name);
		if (o->kind == OPT_CHOICE) {
			buf_char(&left, '=');
			list_choices(o, '|', &left);
		} else if (o->metavar) {
			buf_printf(&left, "=%s", o->metavar);
		}
		if (left.len > 30)
			fprintf(out, "%s\n%32s", left.at, "");
		else
			fprintf(out, "%-32s", left.at);
		print_wrapped(out, o->help, 32);
		buf_release(&left);
	}
}

void opts_print_help(const struct opt_spec *spec, FILE *out)
{
	bool has_options = spec->table->name || spec->shared;
	fprintf(out, "usage: heddle %s%s %s\n\n", spec->command, has_options ? " [options]" : "",
		spec->operands);
	print_wrapped(out, spec->summary, 0);
	if (has_options)
		fprintf(out, "\noptions:\n");
	print_table(spec->table, out);
	print_table(spec->shared, out);
	if (has_options)
		fprintf(out, "  -h, --help                    %s\n", "Show this text.");
	if (spec->details) {
		fputc('\n', out);
		print_wrapped(out, spec->details, 0);
	}
}
