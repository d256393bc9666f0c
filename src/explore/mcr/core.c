/* SPDX-License-Identifier: Apache-2.0 */
/* Cores of tasks that are to be made, and whether they have been explored; see mcr.h. */
#include "wire/fault.h"
#include "explore/mcr/question.h"

const struct core_entry *core_entry_of(const struct core *c, uint32_t thread)
{
	for (size_t i = 0; i < c->entries.len; i++)
		if (c->entries.at[i].thread == thread)
			return &c->entries.at[i];
	return NULL;
}

/* Whether a part of the new core has that entry. */
static bool has_entry(const struct new_core *n, const struct core_entry *e)
{
	const struct mcr *m = n->search;
	const struct core_entry *own = core_entry_of(&n->core, e->thread);
	if (!own || own->length < e->length)
		return false;
	uint32_t move =
		sources_move(&m->sources, sources_column(&m->sources, e->thread), e->length);
	bool is_last = own->length == e->length;
	if (FAULT(MCR_ENTRIES_EQUAL))
		return true;
	if (is_last && core_is_partial(e->choices) && own->choices != e->choices &&
	    e->thread == n->thread)
		return own->choices != ONLY_LOOK &&
		       (e->choices == ONLY_LIFE ? n->life : n->look) == e->hash;
	if (is_last && core_is_partial(own->choices))
		return own->choices == e->choices && own->hash == e->hash;
	if (is_last && !core_is_partial(e->choices) && own->choices <= e->choices)
		return own->hash == e->hash;
	if (is_last && e->choices == ALL_CHOICES && own->choices != ALL_CHOICES)
		return false;
	return sources_hash(&m->history, &m->sources, move, e->choices) == e->hash;
}

static bool has_core(const void *arg, const struct core *c)
{
	const struct new_core *n = arg;
	for (size_t i = 0; i < c->entries.len; i++)
		if (!has_entry(n, &c->entries.at[i]))
			return false;
	return true;
}

bool new_core_is_explored(const struct new_core *n, const struct mcr_node *node)
{
	if (mcr_any_explored(n->search, has_core, n))
		return true;
	for (size_t i = 0; i < node->tasks.len && n->search->tree->excludes; i++)
		if (has_core(n, &node->tasks.at[i].core))
			return true;
	return false;
}

/*
 * How many moves of a core's thread are kept where the move is asked about.  One of which only
 * the life of what it touches is known may have seen something that rests on that move: then what
 * it will see is open again, and so is whether it is there at all.
 */
uint32_t core_kept_length(const struct mcr *m, const struct core_entry *e, uint32_t asked)
{
	const struct move *x = &m->history.moves.at[asked];
	if (FAULT(MCR_KEEPS_DEPENDENT_ENTRY))
		return e->length;
	if (!core_is_partial(e->choices) || e->thread == x->branch.thread)
		return e->length;
	uint32_t last =
		sources_move(&m->sources, sources_column(&m->sources, e->thread), e->length);
	return moves_clock(&m->history, last)[x->column] >= x->index ? e->length - 1 : e->length;
}

/* `wanted`: moves by column that are needed; the old core comes with them. */
void new_core_make(struct new_core *n, const struct mcr_node *node, const uint32_t *wanted,
		   uint64_t hash, uint32_t choices)
{
	const struct mcr *m = n->search;
	for (uint32_t c = 0; c < m->sources.threads.len; c++) {
		uint32_t thread = m->sources.threads.at[c];
		const struct core_entry *old = core_entry_of(&node->core, thread);
		uint32_t kept = old ? core_kept_length(m, old, n->move) : 0;
		bool is_whole = old && kept == old->length;
		uint32_t length = values_trim(&m->sources, c,
					      is_whole || wanted[c] > kept ? wanted[c] : kept);
		bool keeps_old = is_whole && old->length > length;
		if (FAULT(MCR_CORE_NOT_INHERITED))
			keeps_old = false;
		if (thread == n->thread) {
			vec_push(
				&n->core.entries,
				((struct core_entry){ n->thread, m->history.moves.at[n->move].index,
						      choices, hash }));
		} else if (keeps_old) {
			vec_push(&n->core.entries, *old);
		} else if (length) {
			uint32_t move = sources_move(&m->sources, c, length);
			vec_push(&n->core.entries,
				 ((struct core_entry){ thread, length, ALL_CHOICES,
						       m->sources.whole.at[move] }));
		}
	}
}
