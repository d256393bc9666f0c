/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source positions by libdw; see source.h.
 *
 * Every module has its own Dwfl with a single module: offsets in a trace are relative to the
 * module's load address, so only the difference between that and the file's own addresses
 * matters.  Separate debug files are found where distributions install them; nothing is
 * downloaded.  They are used only for modules with hooks: locations in libc occur in nearly every
 * run, and decompressing its debug file takes longer than recording a few million events.
 */
#include "exec/source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/search.h"
#include "base/vec.h"
#include "exec/scopes.h"

/* Code of one compilation unit; one unit may have several pieces. */
struct source_span {
	GElf_Addr start, end; /* as libdw counts */
	Dwarf_Die cu;
	Dwarf_Addr cu_bias;
};

struct source_module {
	char *path;
	Dwfl *dwfl; /* NULL: the file cannot be used */
	Dwfl_Module *module;
	GElf_Addr bias; /* libdw's address minus the file's */
	/* link-time address of the first page; 0 if position-independent */
	GElf_Addr lowest;
	char *build_id;
	VEC(struct source_span) spans; /* sorted; made on first use */
	struct scopes scopes;
	bool has_spans;
	bool has_hooks;
};

struct source {
	Dwfl_Callbacks callbacks;
	VEC(struct source_module *) modules;
};

/*
 * A separate debug file, where distributions install it.  libdwfl's own search would also query
 * the servers that the environment names; heddle must not access the network.
 */
static int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)name, (void)base, (void)file, (void)link, (void)crc;
	const struct source_module *m = *user;
	const unsigned char *id;
	GElf_Addr where;
	int len = dwfl_module_build_id(module, &id, &where);
	if (len < 2 || !m->has_hooks)
		return -1;
	struct buf path = { 0 };
	buf_printf(&path, "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (int i = 1; i < len; i++)
		buf_printf(&path, "%02x", id[i]);
	buf_str(&path, ".debug");
	int fd = open(path.at, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		*found = mem_strdup(path.at); /* libdwfl frees it */
	buf_release(&path);
	return fd;
}

struct source *source_new(void)
{
	struct source *s = mem_zero(1, sizeof(*s));
	s->callbacks.find_elf = dwfl_build_id_find_elf;
	s->callbacks.find_debuginfo = find_debug_file;
	s->callbacks.section_address = dwfl_offline_section_address;
	return s;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->modules.len; i++) {
		struct source_module *m = s->modules.at[i];
		if (m->dwfl)
			dwfl_end(m->dwfl);
		mem_free(m->path);
		mem_free(m->build_id);
		vec_release(&m->spans);
		scopes_release(&m->scopes);
		mem_free(m);
	}
	vec_release(&s->modules);
	mem_free(s);
}

static char *hex(const unsigned char *bytes, int len)
{
	struct buf b = { 0 };
	for (int i = 0; i < len; i++)
		buf_printf(&b, "%02x", bytes[i]);
	return buf_take(&b);
}

/* Offsets are relative to the module's first page in memory, which is the lowest loaded page of
 * the file. */
static GElf_Addr lowest_page(Elf *elf, unsigned headers)
{
	GElf_Addr lowest = UINT64_MAX;
	for (unsigned i = 0; i < headers; i++) {
		GElf_Phdr p;
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_vaddr < lowest)
			lowest = p.p_vaddr;
	}
	return lowest == UINT64_MAX ? 0 : lowest & ~0xfffull;
}

static void open_module(struct source *s, struct source_module *m)
{
	m->dwfl = dwfl_begin(&s->callbacks);
	if (!m->dwfl)
		return;
	m->module = dwfl_report_offline(m->dwfl, "", m->path, -1);
	dwfl_report_end(m->dwfl, NULL, NULL);
	Elf *elf = m->module ? dwfl_module_getelf(m->module, &m->bias) : NULL;
	GElf_Ehdr header;
	if (!elf || !gelf_getehdr(elf, &header)) {
		dwfl_end(m->dwfl);
		m->dwfl = NULL;
		return;
	}
	void **user;
	dwfl_module_info(m->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = m;
	m->lowest = lowest_page(elf, header.e_phnum);
	const unsigned char *id;
	GElf_Addr where;
	int len = dwfl_module_build_id(m->module, &id, &where);
	if (len > 0)
		m->build_id = hex(id, len);
}

static struct source_module *module_at(struct source *s, const char *path)
{
	for (size_t i = 0; i < s->modules.len; i++)
		if (!strcmp(s->modules.at[i]->path, path))
			return s->modules.at[i];
	struct source_module *m = mem_zero(1, sizeof(*m));
	m->path = mem_strdup(path);
	vec_push(&s->modules, m);
	if (path[0])
		open_module(s, m);
	return m;
}

static struct source_module *module_of(struct source *s, const struct region *r)
{
	struct source_module *m = module_at(s, r->path);
	m->has_hooks = r->flags & WIRE_MODULE_INSTRUMENTED;
	return m;
}

/* Append path to out without empty, "." and ".." parts. */
static void add_normal(struct buf *out, const char *path)
{
	while (*path) {
		const char *end = strchrnul(path, '/');
		size_t len = (size_t)(end - path);
		if (len == 2 && !memcmp(path, "..", 2)) {
			while (out->len && out->at[out->len - 1] != '/')
				out->len--;
			if (out->len)
				out->len--;
		} else if (len && !(len == 1 && *path == '.')) {
			buf_char(out, '/');
			buf_add(out, path, len);
		}
		path = *end ? end + 1 : end;
	}
}

static char *absolute_file(const char *directory, const char *file)
{
	struct buf out = { 0 };
	if (file[0] != '/' && directory)
		add_normal(&out, directory);
	add_normal(&out, file);
	return buf_take(&out);
}

/* Constants of newer DWARF standards. */
enum { LANG_CXX_17 = 0x2a, LANG_CXX_20 = 0x2b };

static bool is_cxx(Dwarf_Die *cu)
{
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CXX_17:
	case LANG_CXX_20:
		return true;
	default:
		return false;
	}
}

/* The name of a function; of C++ with its scopes. */
static char *function_name(struct source_module *m, Dwarf_Die *cu, Dwarf_Die function)
{
	struct buf full = { 0 };
	Dwarf_Die declaration = scopes_declaration(function);
	if (is_cxx(cu))
		buf_str(&full, scopes_before(&m->scopes, &declaration));
	buf_str(&full, dwarf_diename(&function));
	return buf_take(&full);
}

static int by_start(const void *a, const void *b)
{
	const struct source_span *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * Find the unit of an address.  libdwfl's own function needs a table of address ranges that clang
 * does not write, so the ranges are taken from the units themselves.
 */
static void list_spans(struct source_module *m)
{
	m->has_spans = true;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;
	while ((cu = dwfl_module_nextcu(m->module, cu, &bias))) {
		Dwarf_Addr base, start, end;
		for (ptrdiff_t at = 0; (at = dwarf_ranges(cu, at, &base, &start, &end)) > 0;) {
			struct source_span s = { start + bias, end + bias, *cu, bias };
			if (start < end)
				vec_push(&m->spans, s);
		}
	}
	if (m->spans.len)
		qsort(m->spans.at, m->spans.len, sizeof(*m->spans.at), by_start);
}

static struct source_span *span_of(struct source_module *m, GElf_Addr address)
{
	if (!m->has_spans)
		list_spans(m);
	size_t low = partition_point(m->spans.len, i, m->spans.at[i].end <= address);
	bool is_inside = low < m->spans.len && m->spans.at[low].start <= address;
	return is_inside ? &m->spans.at[low] : NULL;
}

static GElf_Addr file_address(const struct source_module *m, uint64_t offset)
{
	return m->lowest + offset + m->bias;
}

/* A position in the source, as debug information has it. */
struct position {
	const char *file;
	int line, column;
};

static struct position position_of_address(Dwarf_Die *cu, Dwarf_Addr address)
{
	struct position p = { 0 };
	Dwarf_Line *line = dwarf_getsrc_die(cu, address);
	p.file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (p.file && (dwarf_lineno(line, &p.line) || dwarf_linecol(line, &p.column)))
		p.column = 0;
	return p;
}

static int number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;
	bool is_unknown =
		dwarf_formudata(dwarf_attr(die, name, &attribute), &value) || value > INT32_MAX;
	return is_unknown ? 0 : (int)value;
}

/* Where a function was inlined: the position of its call. */
static struct position position_of_call(Dwarf_Die *cu, Dwarf_Die *inlined)
{
	Dwarf_Files *files;
	size_t count;
	int file = number_of(inlined, DW_AT_call_file);
	struct position p = { .line = number_of(inlined, DW_AT_call_line),
			      .column = number_of(inlined, DW_AT_call_column) };
	if (!dwarf_getsrcfiles(cu, &files, &count) && (size_t)file < count)
		p.file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
	return p;
}

static void take_position(Dwarf_Die *cu, const struct position *p, struct location *l)
{
	if (!p->file || p->line <= 0)
		return;
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attribute));
	l->file = absolute_file(directory, p->file);
	l->line = (uint32_t)p->line;
	l->column = (uint32_t)p->column;
}

bool source_local(struct source *s, const struct region *module, uint64_t offset, int64_t at,
		  int64_t size, struct local *out)
{
	struct source_module *m = module_of(s, module);
	GElf_Addr address = m->dwfl ? file_address(m, offset) : 0;
	struct source_span *span = m->dwfl ? span_of(m, address) : NULL;
	struct scopes_functions functions = { 0 };
	if (!span)
		return false;
	scopes_functions(&m->scopes, &span->cu, address - span->cu_bias, &functions);
	bool is_found = functions.at.len && locals_find(&functions.at.at[0], at, size, out);
	vec_release(&functions.at);
	return is_found;
}

/* Resolve with debug information.  Code of a function without a name belongs to the enclosing
 * function. */
static bool resolve_in_unit(struct source_module *m, struct source_span *span, GElf_Addr address,
			    unsigned depth, struct location *l)
{
	Dwarf_Die *cu = &span->cu;
	bool is_innermost = !depth; /* it has a position even if its function has no name */
	struct scopes_functions functions = { 0 };
	struct position position = position_of_address(cu, address - span->cu_bias);
	bool is_found = false;
	scopes_functions(&m->scopes, cu, address - span->cu_bias, &functions);
	for (size_t i = functions.at.len; i-- > 0 && !is_found;) {
		Dwarf_Die *function = &functions.at.at[i];
		is_found = dwarf_diename(function) && !depth;
		depth -= dwarf_diename(function) && depth;
		if (is_found)
			l->function = function_name(m, cu, *function);
		else if (dwarf_tag(function) == DW_TAG_inlined_subroutine)
			position = position_of_call(cu, function);
	}
	vec_release(&functions.at);
	if (is_found || is_innermost)
		take_position(cu, &position, l);
	return is_found;
}

static char *symbol_name(struct source_module *m, GElf_Addr address)
{
	GElf_Off within;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(m->module, address, &within, &symbol, NULL, NULL, NULL);
	if (!name)
		return NULL;
	return demangle_applies(name) ? demangle_function_name(name) : mem_strdup(name);
}

bool source_resolve(struct source *s, const struct region *module, unsigned depth,
		    struct location *l)
{
	struct source_module *m = module_of(s, module);
	if (!m->dwfl || !l->offset)
		return !depth;
	GElf_Addr address = file_address(m, l->offset - 1);
	struct source_span *span = span_of(m, address);
	if (span && resolve_in_unit(m, span, address, depth, l))
		return true;
	if (depth)
		return false;
	l->function = symbol_name(m, address);
	return true;
}

bool source_data_name(struct source *s, const struct region *module, uint64_t offset,
		      struct buf *out)
{
	struct source_module *m = module_of(s, module);
	if (!m->dwfl)
		return false;
	GElf_Off within = 0;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(m->module, file_address(m, offset), &within,
						&symbol, NULL, NULL, NULL);
	if (!name || (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT &&
		      GELF_ST_TYPE(symbol.st_info) != STT_FUNC))
		return false;
	if (symbol.st_size && within >= symbol.st_size)
		return false;
	char *readable = demangle_applies(name) ? demangle(name) : mem_strdup(name);
	buf_str(out, readable);
	mem_free(readable);
	if (within)
		buf_printf(out, "+%llu", (unsigned long long)within);
	return true;
}

char *source_build_id(struct source *s, const char *path)
{
	struct source_module *m = module_at(s, path);
	return mem_strdup(m->build_id ? m->build_id : "");
}
