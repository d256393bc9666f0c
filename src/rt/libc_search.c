/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables and trees that libc keeps for the program, and regular expressions.  bsearch and lfind
 * need nothing here: all that they touch is touched by the program's comparison.  Comparisons and
 * visits of trees run without preemption, since libc is in the middle of its work.
 *
 * A node of a tree begins with the pointer to its key, which the program looks at; the rest is
 * libc's.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

typedef int (*comparison)(const void *, const void *);

/* ---- tables in the program's memory ---- */

WRAP(void *, lsearch, (const void *key, void *base, size_t *count, size_t size, comparison compare),
     (key, base, count, size, compare), READS_OBJECT(count);
     size_t before = *count, WROTE_OBJECT(count);
     WROTE((char *)base + before * size, (*count - before) * size))

/* ---- trees ---- */

static void show_node(const void *node, pc_t pc)
{
	if (node)
		libc_wrote_if_changed(node, sizeof(void *), pc);
}

static void show_nodes(const void *node, VISIT when, void *pc)
{
	if (when == preorder || when == leaf)
		show_node(node, *(pc_t *)pc);
}

/* The root is a variable of the program's; balancing may have changed it. */
static void before_tree(void *const *root, pc_t pc)
{
	if (!root)
		return;
	rt_libc_read(root, sizeof(*root), pc);
	libc_object(HIDDEN_TREE, root, true, pc);
}

static void after_tree(void *const *root, pc_t pc)
{
	if (root)
		libc_wrote_if_changed(root, sizeof(*root), pc);
}

/* To take a node out libc may move a key into it from another one: each node that was changed is
 * found by a walk. */
static void after_removal(void *const *root, pc_t pc)
{
	after_tree(root, pc);
	if (root && *root)
		REAL_FN(twalk_r)(*root, show_nodes, &pc);
}

WRAP(void *, tsearch, (const void *key, void **root, comparison compare), (key, root, compare),
     before_tree(root, PC), after_tree(root, PC);
     show_node(result, PC))
WRAP(void *, tfind, (const void *key, void *const *root, comparison compare), (key, root, compare),
     if (root) READS(root, sizeof(*root));
     if (root) libc_object(HIDDEN_TREE, root, false, PC), NOTHING)
WRAP(void *, tdelete, (const void *restrict key, void **restrict root, comparison compare),
     (key, root, compare), before_tree(root, PC), after_removal(root, PC))
WRAP_VOID(twalk, (const void *root, __action_fn_t each), (root, each), NOTHING, NOTHING)
WRAP_VOID(twalk_r, (const void *root, void (*each)(const void *, VISIT, void *), void *argument),
	  (root, each, argument), NOTHING, NOTHING)
WRAP_VOID(tdestroy, (void *root, __free_fn_t each), (root, each), NOTHING, NOTHING)

/* ---- hash tables ---- */

WRAP(int, hcreate, (size_t n), (n), CHANGES(HASH_TABLE), NOTHING)
WRAP_VOID(hdestroy, (void), (), CHANGES(HASH_TABLE), NOTHING)
WRAP(ENTRY *, hsearch, (ENTRY item, ACTION action), (item, action), READS_TEXT(item.key);
     libc_hidden(HIDDEN_HASH_TABLE, action == ENTER, PC),
     if (result) WROTE_CHANGES(result, sizeof(*result)))
WRAP(int, hcreate_r, (size_t n, struct hsearch_data *table), (n, table), READS_OBJECT(table),
     WROTE_OBJECT(table))
WRAP_VOID(hdestroy_r, (struct hsearch_data * table), (table), READS_OBJECT(table),
	  WROTE_OBJECT(table))
WRAP(int, hsearch_r, (ENTRY item, ACTION action, ENTRY **found, struct hsearch_data *table),
     (item, action, found, table), READS_TEXT(item.key);
     READS_OBJECT(table), WROTE_CHANGES(table, sizeof(*table)); WROTE_OBJECT(found);
     if (*found) WROTE_CHANGES(*found, sizeof(**found)))

/* ---- lists ---- */

struct list {
	struct list *next, *before;
};

static void show_list(const struct list *element, pc_t pc)
{
	if (!element)
		return;
	libc_wrote_if_changed(element, sizeof(*element), pc);
	if (element->next)
		libc_wrote_if_changed(element->next, sizeof(*element), pc);
	if (element->before)
		libc_wrote_if_changed(element->before, sizeof(*element), pc);
}

WRAP_VOID(insque, (void *element, void *after), (element, after),
	  if (after) READS(after, sizeof(struct list)), show_list(element, PC))
RT_EXPORT void remque(void *element)
{
	if (!libc_enter(PC)) {
		REAL_FN(remque)(element);
		return;
	}
	struct list *e = element;
	rt_libc_read(e, sizeof(*e), PC);
	REAL_FN(remque)(element);
	show_list(e->next, PC);
	show_list(e->before, PC);
}

/* ---- regular expressions: what they compile to is in the heap, and only libc looks at it ---- */

static size_t bounded(const char *s, regoff_t n)
{
	return n > 0 ? (size_t)n : rt_strlen(s);
}

WRAP(int, regcomp, (regex_t *restrict to, const char *restrict pattern, int flags),
     (to, pattern, flags), READS_TEXT(pattern);
     ROOM_OBJECT(to), WROTE_OBJECT(to))
WRAP(int, regexec,
     (const regex_t *restrict compiled, const char *restrict text, size_t n,
      regmatch_t to[restrict n], int flags),
     (compiled, text, n, to, flags), READS_OBJECT(compiled);
     bool stores = n && to && !(compiled->__REPB_PREFIX(no_sub));
     if (flags & REG_STARTEND) READS_OBJECT(to);
     if (flags & REG_STARTEND) READS(text + to->rm_so, (size_t)(to->rm_eo - to->rm_so));
     else READS_TEXT(text);
     ROOM(to, stores ? n * sizeof(*to) : 0), WROTE(to, !result && stores ? n * sizeof(*to) : 0))
WRAP(size_t, regerror,
     (int error, const regex_t *restrict compiled, char *restrict to, size_t room),
     (error, compiled, to, room), READS_OBJECT(compiled);
     ROOM(to, room ? 1 : 0), if (room) WROTE_TEXT(to))
WRAP_VOID(regfree, (regex_t * compiled), (compiled), READS_OBJECT(compiled), WROTE_OBJECT(compiled))

/* The older interface of the same; positions are in arrays that libc may allocate. */
static void wrote_registers(const struct re_registers *to, pc_t pc)
{
	if (!to)
		return;
	rt_libc_wrote(to, sizeof(*to), pc);
	rt_libc_wrote(to->start, to->num_regs * sizeof(*to->start), pc);
	rt_libc_wrote(to->end, to->num_regs * sizeof(*to->end), pc);
}

WRAP(reg_syntax_t, re_set_syntax, (reg_syntax_t syntax), (syntax), CHANGES(SYNTAX),
     WROTE(&re_syntax_options, sizeof(re_syntax_options)))
WRAP(const char *, re_compile_pattern,
     (const char *pattern, size_t n, struct re_pattern_buffer *to), (pattern, n, to),
     LOOKS_AT(SYNTAX);
     READS(pattern, n); READS_OBJECT(to), WROTE_OBJECT(to))
WRAP(int, re_compile_fastmap, (struct re_pattern_buffer * compiled), (compiled),
     READS_OBJECT(compiled), WROTE_CHANGES(compiled, sizeof(*compiled)))
WRAP(regoff_t, re_search,
     (struct re_pattern_buffer * compiled, const char *text, regoff_t n, regoff_t start,
      regoff_t range, struct re_registers *to),
     (compiled, text, n, start, range, to), READS_OBJECT(compiled);
     READS(text, bounded(text, n)), WROTE_CHANGES(compiled, sizeof(*compiled));
     if (result >= 0) wrote_registers(to, PC))
WRAP(regoff_t, re_match,
     (struct re_pattern_buffer * compiled, const char *text, regoff_t n, regoff_t start,
      struct re_registers *to),
     (compiled, text, n, start, to), READS_OBJECT(compiled);
     READS(text, bounded(text, n)), WROTE_CHANGES(compiled, sizeof(*compiled));
     if (result >= 0) wrote_registers(to, PC))
