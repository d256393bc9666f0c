/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking with several processes.  Each is a copy of this one, so it sees the whole history, which
 * does not change any more.  The number of the next item that no process has taken is in shared
 * memory.  A process writes its results into a file of its own, which is read when it has ended.
 * Results are put where their items are, so the outcome does not depend on which process was
 * faster.
 *
 * A process that ends otherwise than it should costs only time: what it has not answered is asked
 * again here, and if there is a fault in the tool it shows here.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "predict/items.h"

#define POLL_NS 20000000 /* between two looks at the processes */

struct shared {
	_Atomic uint64_t next, done, found;
	_Atomic bool stops;
};

/* One result in the file of a process; the witness follows. */
struct stored {
	uint64_t item;
	uint64_t questions, infeasible, unknown, left_out;
	uint32_t candidate, witnesses, attempts, prefix, length;
	uint8_t is_asked, same_values;
};

struct team {
	struct finder *f;
	struct items *all;
	size_t first, last;
	struct shared *shared;
	VEC(struct helper {
		pid_t pid;
		int fd;
	})
	helpers;
};

/* ---- a helper ---- */

static bool is_stopped(void *arg)
{
	const struct team *t = arg;
	const struct predict_options *o = t->f->o;
	if (o->is_over && o->is_over(o->arg))
		t->shared->stops = true;
	return t->shared->stops;
}

static bool store(int fd, uint64_t item, const struct item_result *r)
{
	struct stored s = { item,
			    r->questions,
			    r->infeasible,
			    r->unknown,
			    r->left_out,
			    r->candidate,
			    r->witnesses,
			    r->answer.attempts,
			    r->answer.prefix,
			    (uint32_t)r->answer.witness.len,
			    r->is_asked,
			    r->same_values };
	return !file_write_fd(fd, &s, sizeof(s)) &&
	       !file_write_fd(fd, r->answer.witness.at, r->answer.witness.len * sizeof(op_id));
}

static void help(struct team *t, int fd)
{
	struct predict_options o = *t->f->o;
	struct finder f = *t->f;
	o.is_over = is_stopped;
	o.arg = t;
	f.o = &o;
	for (uint64_t i; !is_stopped(t) && (i = t->first + t->shared->next++) < t->last;) {
		struct item *item = &t->all->list.at[i];
		item_ask(&f, item);
		if (!store(fd, i, &item->result))
			_exit(1);
		t->shared->done++;
		t->shared->found += item->result.candidate != UINT32_MAX;
	}
	_exit(0);
}

/* ---- the one that leads ---- */

static bool take(const struct team *t, const struct stored *s, const char *witness)
{
	if (s->item < t->first || s->item >= t->last ||
	    (s->candidate != UINT32_MAX && s->candidate >= t->f->candidates.len))
		return false;
	struct item_result *r = &t->all->list.at[s->item].result;
	*r = (struct item_result){ .is_asked = s->is_asked,
				   .candidate = s->candidate,
				   .same_values = s->same_values,
				   .witnesses = s->witnesses,
				   .questions = s->questions,
				   .infeasible = s->infeasible,
				   .unknown = s->unknown,
				   .left_out = s->left_out };
	r->answer.verdict = s->candidate == UINT32_MAX ? VERDICT_UNKNOWN : VERDICT_FEASIBLE;
	r->answer.attempts = s->attempts;
	r->answer.prefix = s->prefix;
	for (uint32_t i = 0; i < s->length; i++) {
		op_id op;
		memcpy(&op, witness + i * sizeof(op), sizeof(op));
		vec_push(&r->answer.witness, op);
	}
	return true;
}

static void collect(const struct team *t, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	struct buf b = { 0 };
	char part[65536];
	for (off_t at = 0; at < size;) {
		ssize_t n = pread(fd, part, sizeof(part), at);
		if (n <= 0)
			break;
		buf_add(&b, part, (size_t)n);
		at += n;
	}
	struct stored s;
	for (size_t at = 0; b.len - at >= sizeof(s);) {
		memcpy(&s, b.at + at, sizeof(s));
		at += sizeof(s);
		if ((b.len - at) / sizeof(op_id) < s.length || !take(t, &s, b.at + at))
			break;
		at += s.length * sizeof(op_id);
	}
	buf_release(&b);
}

static void start(struct team *t)
{
	unsigned jobs = t->f->o->jobs;
	for (unsigned i = 0; i < jobs && i < t->last - t->first; i++) {
		struct helper h = { 0, memfd_create("heddle-predict", MFD_CLOEXEC) };
		h.pid = h.fd < 0 ? -1 : fork();
		if (!h.pid)
			help(t, h.fd);
		if (h.pid > 0)
			vec_push(&t->helpers, h);
		else if (h.fd >= 0)
			close(h.fd);
	}
}

/* Until all have ended: report how far they are, and ask them to stop. */
static void wait_for_all(struct team *t)
{
	size_t left = t->helpers.len;
	bool is_notified = false;
	while (left) {
		for (size_t i = 0; i < t->helpers.len; i++)
			if (t->helpers.at[i].pid && waitpid(t->helpers.at[i].pid, NULL, WNOHANG)) {
				t->helpers.at[i].pid = 0;
				left--;
			}
		/* One that is in the middle of a question stops at a signal, as this process does.
		 */
		for (size_t i = 0; is_stopped(t) && !is_notified && i < t->helpers.len; i++)
			if (t->helpers.at[i].pid)
				kill(t->helpers.at[i].pid, SIGTERM);
		is_notified |= t->shared->stops;
		finder_progress(t->f, t->first + t->shared->done, t->all->list.len,
				t->shared->found);
		if (left)
			nanosleep(&(struct timespec){ 0, POLL_NS }, NULL);
	}
}

static bool ask_together(struct finder *f, struct items *all, size_t first, size_t last)
{
	struct team t = { .f = f, .all = all, .first = first, .last = last };
	t.shared = mmap(NULL, sizeof(*t.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (t.shared == MAP_FAILED)
		return false;
	start(&t);
	wait_for_all(&t);
	bool is_cut_off = t.shared->stops;
	for (size_t i = 0; i < t.helpers.len; i++) {
		collect(&t, t.helpers.at[i].fd);
		close(t.helpers.at[i].fd);
	}
	vec_release(&t.helpers);
	munmap(t.shared, sizeof(*t.shared));
	return is_cut_off;
}

void items_ask(struct finder *f, struct items *all, size_t first, size_t last)
{
	uint64_t found = 0;
	if (f->o->jobs > 1 && last - first > 1)
		f->out->is_cut_off |= ask_together(f, all, first, last);
	for (size_t i = first; i < last && !f->out->is_cut_off; i++) {
		struct item *item = &all->list.at[i];
		if (!item->result.is_asked)
			f->out->is_cut_off |= !item_ask(f, item);
		found += item->result.candidate != UINT32_MAX;
		finder_progress(f, i + 1, all->list.len, found);
	}
}
