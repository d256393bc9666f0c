/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis of src/run, fed with an interleaving event by event.  The core is compiled
 * together with this file, once with its four cells for eight bytes and once with many (-DCELLS).
 */
#include <string.h>

#include "core/outside.h"
#include "trace.h"

/* Names of both sides. */
#undef READ
#undef WRITE

const bool online_is_unlimited = CELLS > 4;

static struct reports *reports;
static uintptr_t base; /* of the addresses of this trace: every trace has its own */

static uintptr_t address_of(int var)
{
	return var == 1 ? base + 4 : base + 64 * (uintptr_t)var;
}

static int var_of(uintptr_t address)
{
	return address - base == 4 ? 1 : (int)((address - base) / 64);
}

void run_found(const struct found *f)
{
	bool is_seen = f->status == RUN_UNORDERED;
	int kind = f->kind == FINDING_RACE ? (is_seen ? RACE_SEEN : RACE_PREDICTED)
		   : is_seen		   ? UAF_SEEN
					   : UAF_PREDICTED;
	if (f->kind == FINDING_RACE || f->kind == FINDING_USE_AFTER_FREE)
		report(reports, kind, var_of(f->address), f->past.slot, f->thr->slot);
}

/* One thread feeds all events: there is no other to run. */
void run_widen(unsigned n)
{
	(void)n;
}

static void begin(void)
{
	static bool has_begun;
	if (!has_begun) {
		core_begin();
		base = 1 << 20;
	}
	has_begun = true;
	base += 4096;
	for (uint32_t i = 0; i < THREADS; i++)
		thr_new(i);
}

static void step(const struct event *e)
{
	struct thr *t = run_state.slots[e->thread];
	uintptr_t a = address_of(e->what), object = base + 3072 + 8 * (uintptr_t)e->what;
	uintptr_t lock = base + 2048 + 8 * (uintptr_t)e->what;
	switch (e->op) {
	case READ:
		access_any(t, a, 4, 0, 0);
		break;
	case WRITE:
		access_any(t, a, 4, CELL_WRITE, 0);
		break;
	case FREE:
		shadow_free(t, a, 8, false, 0);
		break;
	case ACQUIRE:
	case ACQUIRE_READ:
		core_lock(t, lock, e->op == ACQUIRE ? HOLD_WRITE : HOLD_READ);
		break;
	case RELEASE:
		core_unlock(t, lock);
		break;
	case SEND:
	case RECEIVE: {
		struct object *s = object_take(t, object, OBJECT_SEM);
		if (e->op == SEND)
			object_send(t, s);
		else
			object_receive(t, s);
		object_put(s);
		break;
	}
	}
}

void online_run(const struct trace *t, struct reports *r, unsigned sections_kept, bool sees_writes)
{
	memset(r, 0, sizeof(*r));
	reports = r;
	run_state.options.sections_kept = sections_kept;
	run_state.options.sees_writes = sees_writes;
	begin();
	for (int i = 0; i < t->count; i++)
		step(&t->at[i]);
	object_remove(base, 4096);
	shadow_clear(base, 4096);
}
