/* SPDX-License-Identifier: Apache-2.0 */
/* What the walkers of a search share; see share.h. */
#include "explore/dpor/share.h"

#include "base/alloc.h"
#include "explore/fault.h"

void search_init(struct search *s, uint32_t walkers)
{
	*s = (struct search){ .lock = PTHREAD_MUTEX_INITIALIZER, .walkers = walkers };
}

static void shared_release(struct shared_node *n)
{
	branch_release(&n->made);
	dpor_node_release(&n->node);
	wakeup_release(&n->taken);
	vec_release(&n->under_way);
	mem_free(n);
}

void search_release(struct search *s)
{
	for (size_t i = 0; i < s->nodes.len; i++)
		shared_release(s->nodes.at[i]);
	vec_release(&s->nodes);
	vec_release(&s->buffers);
	pthread_mutex_destroy(&s->lock);
}

bool search_is_over(const struct search *s)
{
	return __atomic_load_n(&s->is_over, __ATOMIC_ACQUIRE);
}

/* ---- buffers ---- */

static void learn_buffers(const struct search *s, struct moves *h)
{
	for (size_t i = h->buffers.len; i < s->buffers.len; i++)
		vec_push(&h->buffers, s->buffers.at[i]);
}

size_t search_number_buffer(void *arg, struct moves *h, struct buffer_of b)
{
	struct search *s = arg;
	pthread_mutex_lock(&s->lock);
	learn_buffers(s, h);
	size_t i = 0;
	while (i < s->buffers.len &&
	       (s->buffers.at[i].thread != b.thread || s->buffers.at[i].location != b.location))
		i++;
	if (i == s->buffers.len)
		vec_push(&s->buffers, b);
	learn_buffers(s, h);
	pthread_mutex_unlock(&s->lock);
	return i;
}

/* ---- nodes ---- */

struct dpor_node *search_lock(struct search *s, struct moves *h, struct shared_node *n)
{
	pthread_mutex_lock(&s->lock);
	learn_buffers(s, h);
	return &n->node;
}

void search_unlock(struct search *s)
{
	pthread_mutex_unlock(&s->lock);
}

struct shared_node *search_add(struct search *s, struct shared_node *above)
{
	struct shared_node *n = mem_zero(1, sizeof(*n));
	n->above = above;
	n->depth = above ? above->depth + 1 : 0;
	n->index = s->nodes.len;
	vec_push(&s->nodes, n);
	return n;
}

/* The others keep their order: each comes after the one above it. */
static void forget(struct search *s, struct shared_node *n)
{
	s->nodes.len--;
	for (size_t i = n->index; i < s->nodes.len; i++) {
		s->nodes.at[i] = s->nodes.at[i + 1];
		s->nodes.at[i]->index = i;
	}
	shared_release(n);
}

static bool has_work(const struct shared_node *n)
{
	return n->node.tree.children.len || n->node.reopens;
}

void search_leave(struct search *s, struct shared_node *n, size_t place)
{
	while (n) {
		n->below--;
		n->node.finished++;
		if (place != NO_PLACE)
			n->under_way.at[place] = false;
		if ((n->below && !FAULT(61)) || has_work(n))
			return;
		struct shared_node *above = n->above;
		place = n->place;
		forget(s, n);
		n = above;
	}
	__atomic_store_n(&s->is_over, true, __ATOMIC_RELEASE);
}

/* Others are let run at a node only when all that was planned there has been explored: before, it
 * may turn out needless. */
static bool can_be_taken(const struct shared_node *n)
{
	return !n->is_taken && (n->node.tree.children.len || (n->node.reopens && !n->below));
}

/*
 * The highest node has the largest subtrees, so that little has to be handed over; a single
 * walker takes the deepest one, which is the order in which it would have gone on by itself.
 */
static struct shared_node *choose(const struct search *s)
{
	struct shared_node *best = NULL;
	for (size_t i = 0; i < s->nodes.len; i++) {
		struct shared_node *n = s->nodes.at[i];
		if (can_be_taken(n) &&
		    (!best || (s->walkers > 1 ? n->depth < best->depth : n->depth > best->depth)))
			best = n;
	}
	return best;
}

static size_t count_work(const struct search *s)
{
	size_t work = 0;
	for (size_t i = 0; i < s->nodes.len; i++)
		work += can_be_taken(s->nodes.at[i]);
	return work;
}

static void wake(const struct search *s)
{
	if (s->wake)
		s->wake(s->wake_arg);
}

/* ---- taking ---- */

/* The moves that lead to a node, of which nothing but the branches is known. */
static void stand_below(struct dpor *d, const struct shared_node *n)
{
	while (d->nodes.len)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	moves_truncate(&d->history, 0);
	for (size_t i = 0; i < n->depth; i++) {
		vec_add(&d->nodes);
		vec_add(&d->history.moves);
	}
	for (; n->above; n = n->above) {
		d->nodes.at[n->depth - 1].shared = n->above;
		d->history.moves.at[n->depth - 1].branch = branch_copy(&n->made);
	}
}

/* The walker has a copy of the node with that one child, until it is known what comes of it. */
static void take_child(struct search *s, struct dpor *d, struct shared_node *n)
{
	stand_below(d, n);
	learn_buffers(s, &d->history);
	struct dpor_node *here = vec_add(&d->nodes);
	here->shared = n;
	struct wakeup *children = n->node.tree.children.at;
	if (n->node.tree.children.len) {
		n->taken = children[0];
		memmove(children, children + 1, --n->node.tree.children.len * sizeof(*children));
		vec_push(&here->tree.children, wakeup_copy(&n->taken));
	} else {
		n->node.reopens = false;
	}
	/* Should it be saved before it is made, it is still one that was taken in this company. */
	for (size_t i = 0; i < n->under_way.len; i++)
		n->taken.branch.is_open |= n->under_way.at[i] && !FAULT(65);
	for (size_t i = 0; i < n->node.asleep.len; i++) {
		vec_push(&here->asleep, branch_copy(&n->node.asleep.at[i]));
		vec_last(&here->asleep).is_open |= n->taken.branch.is_open;
	}
	n->is_taken = true;
	n->below++;
	d->trunk = n->depth;
	d->under = n;
	d->place = NO_PLACE;
	d->is_new_here = d->is_below = true;
}

bool search_begin(struct search *s, struct dpor *d)
{
	pthread_mutex_lock(&s->lock);
	bool is_first = !s->has_begun;
	s->has_begun = true;
	d->is_below |= is_first;
	pthread_mutex_unlock(&s->lock);
	return is_first;
}

static void set_hungry(struct search *s, struct dpor *d, bool is_hungry)
{
	if (d->is_hungry != is_hungry)
		__atomic_fetch_add(&s->hungry, is_hungry ? 1 : -1u, __ATOMIC_RELAXED);
	d->is_hungry = is_hungry;
}

bool search_take(struct search *s, struct dpor *d)
{
	pthread_mutex_lock(&s->lock);
	if (d->is_below)
		search_leave(s, d->under, d->place);
	d->is_below = false;
	d->under = NULL;
	d->trunk = 0;
	struct shared_node *n = choose(s);
	if (n)
		take_child(s, d, n);
	set_hungry(s, d, !n);
	bool tells = s->is_over || (n && s->hungry && count_work(s));
	pthread_mutex_unlock(&s->lock);
	if (tells)
		wake(s);
	return n != NULL;
}

/* A move from a shared node that somebody explores now; gives its place among those asleep. */
static size_t add_asleep(struct shared_node *n, const struct branch *b, bool is_under_way)
{
	vec_push(&n->node.asleep, branch_copy(b));
	vec_push(&n->under_way, is_under_way);
	return n->node.asleep.len - 1;
}

void search_know(struct search *s, struct dpor *d, const struct branch *made)
{
	struct shared_node *n = d->under;
	pthread_mutex_lock(&s->lock);
	if (made && !FAULT(63))
		d->place = add_asleep(n, made, true);
	wakeup_release(&n->taken);
	n->taken = (struct wakeup){ 0 };
	n->is_taken = false;
	bool tells = s->hungry && can_be_taken(n);
	pthread_mutex_unlock(&s->lock);
	if (tells)
		wake(s);
}

/* ---- giving ---- */

static bool has_children(const struct dpor_node *n)
{
	return n->tree.children.len;
}

/* Its node becomes a shared one; the move that is being explored from there counts as taken. */
static void share_node(struct search *s, struct dpor *d, size_t depth)
{
	struct dpor_node *own = &d->nodes.at[depth];
	struct shared_node *n = search_add(s, d->under);
	n->place = d->place;
	if (depth)
		n->made = branch_copy(&d->history.moves.at[depth - 1].branch);
	for (size_t i = 0; i < own->asleep.len; i++)
		add_asleep(n, &own->asleep.at[i], false);
	d->place = FAULT(62) ? NO_PLACE : add_asleep(n, &d->history.moves.at[depth].branch, true);
	n->node.tree = wakeup_copy(&own->tree);
	n->node.reopens = own->reopens;
	n->node.finished = own->finished;
	n->below = 1;
	dpor_node_release(own);
	*own = (struct dpor_node){ .shared = n };
	d->under = n;
	d->trunk = depth + 1;
}

void search_give(struct search *s, struct dpor *d)
{
	if (!__atomic_load_n(&s->hungry, __ATOMIC_RELAXED))
		return;
	size_t last = d->trunk;
	while (last < d->history.moves.len && !has_children(&d->nodes.at[last]))
		last++;
	if (last >= d->history.moves.len)
		return;
	pthread_mutex_lock(&s->lock);
	bool gives = s->hungry > count_work(s);
	while (gives && d->trunk <= last)
		share_node(s, d, d->trunk);
	pthread_mutex_unlock(&s->lock);
	if (gives)
		wake(s);
}

/* ---- how far it is ---- */

static double branches_of(const struct shared_node *n)
{
	return (double)(n->node.finished + n->below + n->node.tree.children.len);
}

static double share_of(const struct shared_node *n)
{
	double share = 1;
	while ((n = n->above))
		share /= branches_of(n);
	return share;
}

double search_progress(struct search *s)
{
	double behind = 0;
	VEC(double) shares = { 0 }; /* of each node; those above it come before it */
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->nodes.len; i++) {
		const struct shared_node *n = s->nodes.at[i];
		vec_push(&shares,
			 n->above ? shares.at[n->above->index] / branches_of(n->above) : 1.0);
		behind += shares.at[i] * (double)n->node.finished / branches_of(n);
	}
	pthread_mutex_unlock(&s->lock);
	vec_release(&shares);
	return behind;
}

double search_share(struct search *s, const struct dpor *d)
{
	pthread_mutex_lock(&s->lock);
	double share = !d->is_below ? 0 : d->under ? share_of(d->under) / branches_of(d->under) : 1;
	pthread_mutex_unlock(&s->lock);
	return share;
}
