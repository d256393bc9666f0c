/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions that execute atomically, and redirects their hooks; see
 * atomic_functions.h. */
#include "cc/atomic_functions.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "binary/calls.h"

#define PREFIX "__VERIFIER_atomic_"

/* Whether the text begins with the name of an atomic function; more text may follow. */
static bool is_name(const char *text)
{
	if (strncmp(text, PREFIX, strlen(PREFIX)))
		return false;
	const char *rest = text + strlen(PREFIX);
	size_t len = 0;
	while (isalnum((unsigned char)rest[len]) || rest[len] == '_')
		len++;
	return len && !(len == 5 && !memcmp(rest, "begin", 5)) &&
	       !(len == 3 && !memcmp(rest, "end", 3));
}

/*
 * Whether a source may name an atomic function.  Only a regular file can be read here and again
 * by the compiler.  For any other source (standard input, a pipe) the answer is yes: it only
 * costs inlining.
 */
static bool may_name_one(const char *path)
{
	struct buf text = { 0 };
	struct stat st;
	bool is_named = false;
	if (!strcmp(path, "-"))
		return true;
	if (stat(path, &st))
		return false;
	if (!S_ISREG(st.st_mode))
		return true;
	if (!file_read(path, &text, NULL)) {
		buf_str(&text, "");
		for (const char *at = text.at; !is_named && (at = strstr(at, PREFIX)); at++)
			is_named = is_name(at);
	}
	buf_release(&text);
	return is_named;
}

bool atomic_functions_are_named(const struct cc_args *args)
{
	bool is_named = false;
	for (size_t i = 0; i < args->words.len && !is_named; i++) {
		const struct cc_word *w = &args->words.at[i];
		is_named = w->role == ROLE_INPUT && w->input == INPUT_C && may_name_one(w->text);
	}
	return is_named;
}

/* ---- the linked file ---- */

struct patching {
	struct calls calls;
	unsigned char *bytes;
	uint64_t entry, exit; /* the atomic forms of the hooks; 0: not defined */
	size_t patched;
	bool lacks_forms;
};

static uint64_t address_of(const struct image *img, const char *name)
{
	for (size_t i = 0; i < img->symbols.len; i++)
		if (img->symbols.at[i].is_defined && !strcmp(img->symbols.at[i].name, name))
			return img->symbols.at[i].address;
	return 0;
}

static void patch_instruction(struct patching *p, const struct sym_instruction *in)
{
	const struct hook *hook =
		code_is_call(in) || code_is_jump(in) ? calls_hook(&p->calls, in) : NULL;
	if (!hook)
		return;
	bool is_entry = !strcmp(hook->name, "__tsan_func_entry");
	bool is_exit = !strcmp(hook->name, "__tsan_func_exit");
	if (!is_entry && !is_exit)
		return;
	if (!p->entry || !p->exit) {
		p->lacks_forms = true;
		return;
	}
	calls_redirect(&p->calls, p->bytes, in, is_entry ? p->entry : p->exit);
	p->patched++;
}

static void patch_function(struct patching *p, const struct image_symbol *s)
{
	struct code code;
	struct sym_instruction in;
	for (size_t i = 1; i < p->calls.img->sections.len; i++) {
		if (!calls_covers_section(&p->calls, i) ||
		    !code_of_section(&code, &p->calls.decoder, p->calls.img, i) ||
		    s->address < code.start || s->address >= code.end)
			continue;
		uint64_t end = s->address + s->size < code.end ? s->address + s->size : code.end;
		for (uint64_t at = s->address; at < end && code_decode(&code, at, end, &in);
		     at += in.base.length)
			patch_instruction(p, &in);
	}
}

int atomic_functions_patch(const struct image *img, unsigned char *bytes, size_t *patched,
			   struct err *err)
{
	struct patching p = { .bytes = bytes };
	int rc = calls_open(&p.calls, img, err);
	*patched = 0;
	if (rc)
		return rc;
	p.entry = address_of(img, "__heddle_atomic_func_entry");
	p.exit = address_of(img, "__heddle_atomic_func_exit");
	struct map seen = { 0 };
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		bool is_new = false;
		/* A function may be in both symbol tables. */
		if (s->is_defined && s->type == STT_FUNC && is_name(s->name))
			map_put(&seen, s->address, &is_new);
		if (is_new)
			patch_function(&p, s);
	}
	map_release(&seen);
	calls_close(&p.calls);
	*patched = p.patched;
	return p.lacks_forms
		       ? err_set(err, ERR_FORMAT,
				 "functions whose names begin with " PREFIX
				 " must be linked into the program, not into a shared library")
		       : 0;
}
