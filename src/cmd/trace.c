/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace: finds the subcommand, and holds what the subcommands share. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cmd/trace_cmd.h"
#include "report/finding.h"

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct subcommand subcommands[] = {
	{ "check", cmd_trace_check, "check that a trace is consistent" },
	{ "convert", cmd_trace_convert, "convert a trace to another form" },
	{ "diff", cmd_trace_diff, "find the first difference between two traces" },
	{ "index", cmd_trace_index, "build the index of a trace" },
	{ "print", cmd_trace_print, "print the events of a trace" },
	{ "slice", cmd_trace_slice, "take a part out of a trace" },
	{ "stat", cmd_trace_stat, "count what is in a trace" },
	{ NULL, NULL, NULL },
};

static void print_usage(FILE *out)
{
	fprintf(out, "usage: heddle trace SUBCOMMAND [options] TRACE\n"
		     "\n"
		     "Looks at recorded traces, and makes others from them.\n"
		     "\n"
		     "subcommands:\n");
	for (const struct subcommand *s = subcommands; s->name; s++)
		fprintf(out, "  %-10s %s\n", s->name, s->summary);
	fprintf(out, "\n'heddle trace SUBCOMMAND --help' explains one of them.\n");
}

int cmd_trace(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return EXIT_NOTHING;
	}
	/* `| head` ends us, silently, even if the parent process ignores the signal. */
	signal(SIGPIPE, SIG_DFL);
	for (const struct subcommand *s = subcommands; s->name; s++)
		if (!strcmp(s->name, argv[1]))
			return s->run(argc - 1, argv + 1);
	fprintf(stderr, "heddle trace: unknown subcommand '%s'; 'heddle trace --help' lists them\n",
		argv[1]);
	return EXIT_USAGE;
}

int trace_cmd_operands_of(const struct opt_spec *spec, int argc, char **argv, const char **paths,
			  int count)
{
	struct err err;
	int operand;
	bool help;
	int rc = opts_parse(spec, argc, argv, &operand, &help, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help) {
		opts_print_help(spec, stdout);
		return EXIT_NOTHING;
	}
	if (argc - operand != count) {
		rc = err_set(&err, ERR_USAGE,
			     count == 1 ? "heddle %s: give one trace after the options, or - for "
					  "standard input"
					: "heddle %s: give two traces after the options",
			     spec->command);
		return cmd_fail(rc, &err);
	}
	for (int i = 0; i < count; i++)
		paths[i] = argv[operand + i];
	return -1;
}

int trace_cmd_options(const struct opt_spec *spec, int argc, char **argv, const char **path)
{
	return trace_cmd_operands_of(spec, argc, argv, path, 1);
}

bool trace_cmd_write(struct trace_output *out)
{
	if (!out->failed && out->text.len)
		out->failed = file_write_fd(1, out->text.at, out->text.len);
	buf_clear(&out->text);
	return !out->failed;
}

int trace_cmd_finish(struct trace_reader *r, const struct trace_output *out, int rc,
		     const struct err *err)
{
	if (out->failed) {
		fprintf(stderr, "heddle: cannot write to standard output: %s\n",
			strerror(-out->failed));
		return EXIT_INPUT;
	}
	if (rc < 0)
		return cmd_fail(rc, err);
	if (!rc && !trace_reader_is_complete(r))
		fprintf(stderr, "heddle: %s\n", trace_reader_cut_reason(r));
	return EXIT_NOTHING;
}

/* ---- readable lines ---- */

void trace_cmd_text(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_char(out, (char)c);
	}
}

void trace_cmd_kind(const struct event *e, struct buf *out)
{
	buf_str(out, event_kind_name(e->kind));
	const char *mode = e->mode ? event_mode_name(e->kind, e->mode) : NULL;
	if (mode)
		buf_printf(out, " %s", mode);
	else if (e->mode)
		buf_printf(out, " mode %u", e->mode);
}

static void put_failure(struct trace_names *n, const struct trace_tables *t, const struct event *e,
			struct buf *out)
{
	const char *sentence = failure_sentence(e->a);
	if (!sentence) {
		buf_printf(out, "failure %llu", (unsigned long long)e->a);
		return;
	}
	char other[32];
	snprintf(other, sizeof(other), "thread %llu", (unsigned long long)e->b);
	finding_fill(sentence,
		     &(struct finding_words){ .other = other,
					      .object = trace_names_object(n, t, e->obj),
					      .number = e->b },
		     out);
}

static void put_operand(struct trace_names *n, const struct trace_tables *t, enum operand what,
			uint64_t v, struct buf *out)
{
	switch (what) {
	case OPERAND_ADDR:
	case OPERAND_SYNC:
		buf_str(out, trace_names_object(n, t, v));
		break;
	case OPERAND_THREAD:
		buf_printf(out, "T%llu", (unsigned long long)v);
		break;
	case OPERAND_VALUE:
		buf_printf(out, v < 65536 ? "%llu" : "0x%llx", (unsigned long long)v);
		break;
	case OPERAND_PATH:
		buf_printf(out, "path %08llx", (unsigned long long)v);
		break;
	default:
		buf_printf(out, "%llu", (unsigned long long)v);
	}
}

void trace_cmd_operands(struct trace_names *n, const struct trace_tables *t, const struct event *e,
			struct buf *out)
{
	struct event_shape shape = event_shape(e->kind);
	size_t start = out->len;
	if (shape.a == OPERAND_FAILURE) {
		put_failure(n, t, e, out);
		return;
	}
	if (e->kind == EV_SWITCH) {
		buf_printf(out, "after T%llu, at hook %llu", (unsigned long long)e->b,
			   (unsigned long long)e->a);
		if (e->obj)
			buf_printf(out, ", its path %08llx", (unsigned long long)e->obj);
		return;
	}
	if (e->kind == EV_FLUSH_TURN) {
		buf_printf(out, "store %u in the buffer of T%llu, at hook %llu",
			   e->mode & (WIRE_FLUSH_BLOCKED - 1), (unsigned long long)e->b,
			   (unsigned long long)e->a);
		return;
	}
	if (shape.obj != OPERAND_NONE)
		put_operand(n, t, shape.obj, e->obj, out);
	if (e->kind == EV_THREAD_NAME) {
		trace_cmd_text((const char *)e->data, e->data_len, out);
	} else if (operand_is_printed(shape.a, e->a) &&
		   !(e->data_len && shape.a == OPERAND_VALUE)) {
		buf_str(out, out->len > start ? " = " : "");
		put_operand(n, t, shape.a, e->a, out);
	}
	if (operand_is_printed(shape.b, e->b) && (!e->data_len || e->kind == EV_FLUSH)) {
		buf_str(out, e->kind == EV_FLUSH       ? " of "
			     : shape.b == OPERAND_PATH ? ", "
						       : " -> ");
		put_operand(n, t, shape.b, e->b, out);
	}
	if (e->data_len && e->kind != EV_THREAD_NAME)
		buf_printf(out, " (%zu bytes)", e->data_len);
	for (unsigned bit = 1; bit < 256; bit <<= 1)
		if (e->flags & bit &
		    (EVF_FAILED | EVF_VOLATILE | EVF_ZERO | EVF_HASHED | EVF_LIBC | EVF_BUFFERED))
			buf_printf(out, " %s", event_flag_name(bit));
}

void trace_cmd_location(const struct trace_tables *t, loc_id loc, struct buf *out)
{
	if (!loc)
		return;
	const struct location *l = &t->locations.at[loc];
	if (l->function[0])
		trace_cmd_text(l->function, strlen(l->function), out);
	else if (l->region)
		trace_text_address(t, t->regions.at[l->region].start + l->offset, out);
	else
		buf_printf(out, "0x%llx", (unsigned long long)l->offset);
	if (!l->file[0])
		return;
	const char *name = file_base_name(l->file);
	buf_str(out, " (");
	trace_cmd_text(name, strlen(name), out);
	buf_printf(out, l->line ? ":%u)" : ")", l->line);
}
