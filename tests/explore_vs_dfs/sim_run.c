/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for the interpreter, as wire/explore.h defines them: turns, free run, sleepers. */
#include <string.h>

#include "explore_vs_dfs/sim.h"
#include "wire/depend.h"

struct machine {
	struct sim *sim;
	const struct sim_program *program;
	struct sim_state state;
	const struct plan *plan;
	size_t choices_used;
	size_t ops;
	uint64_t hook[THREADS_MAX];  /* in which it is, or the last one it finished */
	bool is_inside[THREADS_MAX]; /* that step is not finished: it waits */
	bool sleeps[THREADS_MAX];
	bool is_free;
};

static int take_choice(struct machine *m, int alternatives)
{
	if (alternatives == 1)
		return 0;
	size_t n = m->choices_used++;
	return n < m->plan->choices_count ? (int)m->plan->choices[n] % alternatives : 0;
}

static void wake_sleepers(struct machine *m, const struct wire_op *op)
{
	for (size_t i = 0; i < m->plan->sleepers_count; i++) {
		const struct wire_sleeper *s = &m->plan->sleepers[i];
		for (uint32_t k = 0; k < s->count; k++)
			if (ops_depend(op, &m->plan->sleeper_ops[s->first + k]))
				m->sleeps[s->thread] = false;
	}
}

static uint64_t place_of(int thread, int instruction)
{
	return (uint64_t)thread << 8 | (uint64_t)instruction;
}

size_t sim_unused_places(const struct sim_program *p, uint64_t places[THREADS_MAX * CODE_MAX])
{
	size_t count = 0;
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->length[t]; i++)
			if (p->code[t][i].kind == DO_READ && p->code[t][i].b == READ_UNUSED)
				places[count++] = place_of(t, i);
	return count;
}

/* One instruction, or the part of it that is possible. */
static void go(struct machine *m, int t)
{
	struct sim_list list = { 0 };
	if (!m->is_inside[t])
		m->hook[t]++;
	int choice = take_choice(m, sim_choices(m->program, &m->state, t));
	uint64_t instruction = place_of(t, m->state.pc[t]);
	sim_go(m->program, &m->state, t, choice, &list);
	m->is_inside[t] = list.is_blocked;
	if (!list.count)
		return;
	m->sim->ops[m->ops++] =
		(struct wire_op){ .kind = OP_STEP, .object = (unsigned)t, .value = m->hook[t] };
	for (int i = 0; i < list.count; i++) {
		m->sim->ops[m->ops] = list.ops[i];
		m->sim->ops[m->ops++].pc = instruction;
		if (m->is_free)
			wake_sleepers(m, &list.ops[i]);
	}
}

/* The thread goes on where it is: if it waits, it has been let in, or its time is over. */
static bool can_begin(struct machine *m, int t, bool may_be_late)
{
	bool is_late, can = sim_can_go(m->program, &m->state, t, &is_late);
	if (!sim_is_live(&m->state, t))
		return false;
	return !m->is_inside[t] || (can && (!is_late || may_be_late)) ||
	       sim_wakes(m->program, &m->state, t);
}

static bool follow_turn(struct machine *m, const struct wire_turn *turn)
{
	int t = (int)turn->thread;
	if (t >= THREADS_MAX || !m->state.is_there[t])
		return false;
	bool is_first = true;
	while (m->state.end == SIM_RUNS && (m->hook[t] < turn->hook || m->is_inside[t])) {
		if (m->hook[t] > turn->hook)
			break;
		if (m->state.has_ended[t])
			return false;
		if (!can_begin(m, t, is_first))
			return !is_first && m->hook[t] == turn->hook;
		go(m, t);
		is_first = false;
	}
	return true;
}

enum { PICK_NONE = -1, PICK_SLEEPER = -2 };

static int pick(struct machine *m, int running)
{
	bool some_sleep = false;
	/* The one that runs, others that are ready, those whose time may be over, and who would
	 * end the process. */
	for (int round = 0; round < 3; round++) {
		for (int n = -1; n < m->program->threads; n++) {
			int t = n < 0 ? running : n;
			if (t < 0 || !can_begin(m, t, round > 0))
				continue;
			if (sim_would_exit(m->program, &m->state, t) && round < 2)
				continue;
			if (!m->sleeps[t])
				return t;
			some_sleep = true;
		}
	}
	return some_sleep ? PICK_SLEEPER : PICK_NONE;
}

static enum explore_end end_of(const struct sim_state *s)
{
	switch (s->end) {
	case SIM_EXIT:
		return EXPLORE_EXIT;
	case SIM_ASSUMED:
		return EXPLORE_ASSUMED;
	default:
		return EXPLORE_FAILURE;
	}
}

int sim_run(void *program, const struct plan *plan, struct execution *out, struct err *err)
{
	(void)err;
	struct sim *sim = program;
	struct machine m = { .sim = sim, .program = sim->program, .plan = plan };
	*out = (struct execution){ .ops = sim->ops, .text = "" };
	sim_start(sim->program, &m.state);
	int running = 0;
	for (size_t i = 0; i < plan->turns_count && m.state.end == SIM_RUNS; i++) {
		running = (int)plan->turns[i].thread;
		if (!follow_turn(&m, &plan->turns[i])) {
			out->end = EXPLORE_DIVERGED;
			out->diverged_turn = i;
			sim->has_diverged = true;
			break;
		}
	}
	m.is_free = true;
	for (size_t i = 0; i < plan->sleepers_count; i++)
		m.sleeps[plan->sleepers[i].thread] = true;
	while (m.state.end == SIM_RUNS && out->end == EXPLORE_RUNNING) {
		running = pick(&m, running);
		if (running == PICK_SLEEPER)
			out->end = EXPLORE_REDUNDANT;
		else if (running == PICK_NONE)
			m.state.end = SIM_DEADLOCK;
		else
			go(&m, running);
	}
	if (out->end == EXPLORE_RUNNING)
		out->end = end_of(&m.state);
	out->failure = m.state.end == SIM_DEADLOCK ? 1 : 2; /* finding.def */
	out->ops_count = m.ops;
	sim->last = m.state;
	return 0;
}
