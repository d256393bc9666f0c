/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and synchronisation.  State is kept beside the program's memory, by the address of the
 * object; of the object itself only the kind of a statically initialised mutex is read.
 * Above 500 lines because of the table of functions.
 */
#include <errno.h>
#include <pthread.h>

#include "interp/machine.h"
#include "interp/schedule.h"

enum {
	CREATE,
	JOIN,
	DETACH,
	SELF,
	EQUAL,
	EXIT,
	YIELD,
	SUCCESS,
	M_INIT,
	M_LOCK,
	M_TRY,
	M_UNLOCK,
	M_DESTROY,
	MA_TYPE,
	MA_INIT,
	C_INIT,
	C_WAIT,
	C_SIGNAL,
	C_BROADCAST,
	R_INIT,
	R_READ,
	R_WRITE,
	R_TRY_READ,
	R_TRY_WRITE,
	R_UNLOCK,
	B_INIT,
	B_WAIT,
	S_INIT,
	S_WAIT,
	S_TRY,
	S_POST,
	S_VALUE,
	ONCE,
	K_CREATE,
	K_GET,
	K_SET,
};

static const struct {
	const char *name;
	int kind;
} names[] = {
	{ "pthread_create", CREATE },
	{ "pthread_join", JOIN },
	{ "pthread_detach", DETACH },
	{ "pthread_self", SELF },
	{ "pthread_equal", EQUAL },
	{ "pthread_exit", EXIT },
	{ "sched_yield", YIELD },
	{ "usleep", YIELD },
	{ "sleep", YIELD },
	{ "nanosleep", YIELD },
	{ "pthread_attr_init", SUCCESS },
	{ "pthread_attr_destroy", SUCCESS },
	{ "pthread_attr_setstacksize", SUCCESS },
	{ "pthread_mutexattr_destroy", SUCCESS },
	{ "pthread_condattr_init", SUCCESS },
	{ "pthread_condattr_destroy", SUCCESS },
	{ "pthread_cond_destroy", SUCCESS },
	{ "pthread_rwlock_destroy", SUCCESS },
	{ "pthread_barrier_destroy", SUCCESS },
	{ "sem_destroy", SUCCESS },
	{ "pthread_spin_destroy", SUCCESS },
	{ "pthread_key_delete", SUCCESS },
	{ "pthread_mutex_init", M_INIT },
	{ "pthread_mutex_lock", M_LOCK },
	{ "pthread_mutex_trylock", M_TRY },
	{ "pthread_mutex_unlock", M_UNLOCK },
	{ "pthread_mutex_destroy", M_DESTROY },
	{ "pthread_mutexattr_init", MA_INIT },
	{ "pthread_mutexattr_settype", MA_TYPE },
	{ "pthread_spin_init", M_INIT },
	{ "pthread_spin_lock", M_LOCK },
	{ "pthread_spin_trylock", M_TRY },
	{ "pthread_spin_unlock", M_UNLOCK },
	{ "pthread_cond_init", C_INIT },
	{ "pthread_cond_wait", C_WAIT },
	{ "pthread_cond_signal", C_SIGNAL },
	{ "pthread_cond_broadcast", C_BROADCAST },
	{ "pthread_rwlock_init", R_INIT },
	{ "pthread_rwlock_rdlock", R_READ },
	{ "pthread_rwlock_wrlock", R_WRITE },
	{ "pthread_rwlock_tryrdlock", R_TRY_READ },
	{ "pthread_rwlock_trywrlock", R_TRY_WRITE },
	{ "pthread_rwlock_unlock", R_UNLOCK },
	{ "pthread_barrier_init", B_INIT },
	{ "pthread_barrier_wait", B_WAIT },
	{ "sem_init", S_INIT },
	{ "sem_wait", S_WAIT },
	{ "sem_trywait", S_TRY },
	{ "sem_post", S_POST },
	{ "sem_getvalue", S_VALUE },
	{ "pthread_once", ONCE },
	{ "pthread_key_create", K_CREATE },
	{ "pthread_getspecific", K_GET },
	{ "pthread_setspecific", K_SET },
};

/* pthread_t of a thread; main is 1, so that 0 is nobody. */
static uint64_t handle(const struct thread *t)
{
	return t->number + 1;
}

static struct object *object(struct machine *m, uint64_t at)
{
	bool is_new;
	uint64_t *number = map_put(&m->objects, at, &is_new);
	if (is_new) {
		vec_add(&m->list);
		*number = m->list.len;
		/* glibc has the kind of a mutex, and of an attribute, there. */
		if (space_holds(m, at, 20))
			memcpy(&vec_last(&m->list).type, (void *)(at + 16), 4);
	}
	return &m->list.at[*number - 1];
}

static struct object *reset(struct machine *m, uint64_t at)
{
	struct object *o = object(m, at);
	vec_release(&o->queue);
	*o = (struct object){ 0 };
	return o;
}

static enum outcome wait_for(struct thread *t, enum wait_kind kind, uint64_t on)
{
	t->wait = kind;
	t->object = on;
	t->was_switched = true; /* the decision is taken when it can go on */
	return OUTCOME_WAIT;
}

/* Whether the thread has waited, and goes on now. */
static bool has_waited(struct thread *t)
{
	bool result = t->wait != WAIT_NONE;
	t->wait = WAIT_NONE;
	return result;
}

static enum outcome lock(struct call *c, bool is_try)
{
	struct object *o = object(c->m, c->args[0]);
	uint32_t own = c->t->number + 1;
	if (o->owner == own && o->type == PTHREAD_MUTEX_RECURSIVE) {
		o->depth++;
		*c->result = 0;
		return OUTCOME_DONE;
	}
	if (o->owner == own && o->type == PTHREAD_MUTEX_ERRORCHECK) {
		*c->result = is_try ? EBUSY : EDEADLK;
		return OUTCOME_DONE;
	}
	if (o->owner && is_try) {
		*c->result = EBUSY;
		return OUTCOME_DONE;
	}
	if (o->owner)
		return wait_for(c->t, WAIT_MUTEX, c->args[0]);
	has_waited(c->t);
	o->owner = own;
	*c->result = 0;
	return OUTCOME_DONE;
}

static enum outcome unlock(struct call *c)
{
	struct object *o = object(c->m, c->args[0]);
	bool is_own = o->owner == c->t->number + 1;
	*c->result = 0;
	if (!is_own && o->type != PTHREAD_MUTEX_NORMAL)
		*c->result = EPERM;
	else if (!is_own)
		return machine_end(c->m, INTERP_FAILED,
				   "unlock of a mutex that the thread does not hold");
	else if (o->depth)
		o->depth--;
	else
		o->owner = 0;
	return OUTCOME_DONE;
}

static void leave_queue(struct object *o, uint32_t thread)
{
	for (size_t i = 0; i < o->queue.len; i++)
		if (o->queue.at[i] == thread) {
			memmove(o->queue.at + i, o->queue.at + i + 1,
				(o->queue.len - i - 1) * sizeof(*o->queue.at));
			o->queue.len--;
			return;
		}
}

/* First the mutex is released and the thread waits; woken up, it waits for the mutex. */
static enum outcome wait_cond(struct call *c)
{
	struct thread *t = c->t;
	struct object *mutex = object(c->m, c->args[1]);
	if (t->wait == WAIT_NONE) {
		if (mutex->owner != t->number + 1)
			return machine_end(c->m, INTERP_FAILED, "wait without the mutex");
		if (!FAULT(INTERP_WAIT_KEEPS_MUTEX))
			mutex->owner = 0;
		struct object *cond = object(c->m, c->args[0]);
		vec_push(&cond->queue, t->number);
		t->is_woken = false;
		return wait_for(t, WAIT_COND, c->args[0]);
	}
	if (mutex->owner)
		return wait_for(t, WAIT_MUTEX, c->args[1]);
	has_waited(t);
	mutex->owner = t->number + 1;
	*c->result = 0;
	return OUTCOME_DONE;
}

static enum outcome wake(struct call *c, bool is_all)
{
	struct object *o = object(c->m, c->args[0]);
	*c->result = 0;
	while (o->queue.len) {
		uint32_t first = o->queue.at[0];
		c->m->threads.at[first]->is_woken = true;
		leave_queue(o, first);
		if (FAULT(INTERP_BROADCAST_WAKES_ONE))
			is_all = false;
		if (!is_all)
			break;
	}
	return OUTCOME_DONE;
}

static enum outcome read_lock(struct call *c, bool is_try)
{
	struct object *o = object(c->m, c->args[0]);
	if (o->owner && is_try) {
		*c->result = EBUSY;
		return OUTCOME_DONE;
	}
	if (o->owner)
		return wait_for(c->t, WAIT_READ, c->args[0]);
	has_waited(c->t);
	o->depth++;
	*c->result = 0;
	return OUTCOME_DONE;
}

static enum outcome write_lock(struct call *c, bool is_try)
{
	struct object *o = object(c->m, c->args[0]);
	if ((o->owner || o->depth) && is_try) {
		*c->result = EBUSY;
		return OUTCOME_DONE;
	}
	bool has_readers = o->depth > 0;
	if (FAULT(INTERP_WRITER_IGNORES_READERS))
		has_readers = false;
	if (o->owner || has_readers)
		return wait_for(c->t, WAIT_WRITE, c->args[0]);
	has_waited(c->t);
	o->owner = c->t->number + 1;
	*c->result = 0;
	return OUTCOME_DONE;
}

static enum outcome unlock_any(struct call *c)
{
	struct object *o = object(c->m, c->args[0]);
	*c->result = 0;
	if (o->owner)
		o->owner = 0;
	else if (o->depth)
		o->depth--;
	else
		return machine_end(c->m, INTERP_FAILED, "unlock of a rwlock that nobody holds");
	return OUTCOME_DONE;
}

static enum outcome wait_barrier(struct call *c)
{
	struct object *o = object(c->m, c->args[0]);
	*c->result = 0;
	if (has_waited(c->t))
		return OUTCOME_DONE;
	uint32_t arrived = ++o->arrived;
	if (FAULT(INTERP_BARRIER_ONE_TOO_FEW))
		arrived++;
	if (arrived < o->count) {
		vec_push(&o->queue, c->t->number);
		c->t->is_woken = false;
		return wait_for(c->t, WAIT_BARRIER, c->args[0]);
	}
	for (size_t i = 0; i < o->queue.len; i++)
		c->m->threads.at[o->queue.at[i]]->is_woken = true;
	o->queue.len = 0;
	o->arrived = 0;
	*c->result = (uint64_t)PTHREAD_BARRIER_SERIAL_THREAD;
	return OUTCOME_DONE;
}

static enum outcome semaphore(struct call *c, int kind)
{
	struct object *o = object(c->m, c->args[0]);
	int32_t value = (int32_t)o->value;
	*c->result = 0;
	switch (kind) {
	case S_POST:
		o->value++;
		return OUTCOME_DONE;
	case S_VALUE:
		if (!space_check(c->m, c->args[1], 4, true))
			return OUTCOME_END;
		memcpy((void *)c->args[1], &value, 4);
		return OUTCOME_DONE;
	default:
		break;
	}
	if (!o->value && kind == S_TRY) {
		*c->result = (uint64_t)-1;
		return OUTCOME_DONE;
	}
	if (!o->value)
		return wait_for(c->t, WAIT_SEM, c->args[0]);
	has_waited(c->t);
	o->value--;
	return OUTCOME_DONE;
}

static enum outcome create(struct call *c)
{
	struct function *f = machine_function(c->m, c->args[2]);
	if (!f || !f->ir->is_defined)
		return machine_end(c->m, INTERP_FAILED, "a thread without a function");
	struct thread *t = thread_new(c->m, f, c->args[3]);
	if (!t || !space_check(c->m, c->args[0], 8, true))
		return OUTCOME_END;
	uint64_t own = handle(t);
	memcpy((void *)c->args[0], &own, 8);
	*c->result = 0;
	return OUTCOME_DONE;
}

static enum outcome join(struct call *c)
{
	uint64_t number = c->args[0] - 1;
	if (number >= c->m->threads.len || c->m->threads.at[number]->is_joined)
		return machine_end(c->m, INTERP_FAILED, "join of something that is no thread");
	struct thread *t = c->m->threads.at[number];
	*c->result = t == c->t ? EDEADLK : t->is_detached ? EINVAL : 0;
	if (*c->result)
		return OUTCOME_DONE;
	if (!t->is_ended)
		return wait_for(c->t, WAIT_JOIN, number);
	has_waited(c->t);
	t->is_joined = true;
	if (c->args[1]) {
		if (!space_check(c->m, c->args[1], 8, true))
			return OUTCOME_END;
		memcpy((void *)c->args[1], &t->value, 8);
	}
	return OUTCOME_DONE;
}

/* The function returns into the call, which is made again and then finds it done. */
static enum outcome once(struct call *c)
{
	struct object *o = object(c->m, c->args[0]);
	struct function *f = machine_function(c->m, c->args[1]);
	*c->result = 0;
	if (o->owner == c->t->number + 1) {
		o->owner = 0;
		o->value = 1;
	}
	if (o->value == 1) {
		has_waited(c->t);
		return OUTCOME_DONE;
	}
	if (o->owner)
		return wait_for(c->t, WAIT_ONCE, c->args[0]);
	if (!f || !f->ir->is_defined)
		return machine_end(c->m, INTERP_FAILED, "pthread_once without a function");
	o->owner = c->t->number + 1;
	vec_last(&c->t->frames).pc--;
	c->t->was_switched = true;
	return thread_enter(c->m, c->t, f, IR_NONE) ? OUTCOME_CALL : OUTCOME_END;
}

static enum outcome keys(struct call *c, int kind)
{
	struct thread *t = c->t;
	*c->result = 0;
	if (kind == K_CREATE) {
		if (!space_check(c->m, c->args[0], 4, true))
			return OUTCOME_END;
		if (c->args[1])
			return machine_end(c->m, INTERP_REFUSED,
					   "a destructor of thread-specific data");
		memcpy((void *)c->args[0], &c->m->keys, 4);
		c->m->keys++;
		return OUTCOME_DONE;
	}
	if (c->args[0] >= c->m->keys)
		return machine_end(c->m, INTERP_FAILED, "a key that does not exist");
	vec_grow_zeroed(&t->specific, c->m->keys);
	if (kind == K_SET)
		t->specific.at[c->args[0]] = c->args[1];
	else
		*c->result = t->specific.at[c->args[0]];
	return OUTCOME_DONE;
}

void thread_ends(struct machine *m, struct thread *t, uint64_t value)
{
	t->is_ended = true;
	t->value = value;
	if (t->number || m->is_ending)
		return;
	/* main has returned: functions of atexit, then destructors. */
	m->result->status = (int)(value & 255);
	if (m->exits.len || m->m->finishes.len)
		machine_end(m, INTERP_REFUSED, "functions that run at the end");
	else
		machine_end(m, INTERP_EXIT, " ");
}

static enum outcome exit_thread(struct call *c)
{
	struct thread *t = c->t;
	t->frames.len = 0;
	t->is_ended = true;
	t->value = c->args[0];
	return OUTCOME_END;
}

/* Operations of one thread alone, which need no decision before them. */
static bool is_own(int kind)
{
	return kind == SELF || kind == EQUAL || kind == SUCCESS || kind == MA_INIT ||
	       kind == MA_TYPE || kind >= K_CREATE;
}

static enum outcome init(struct call *c, int kind)
{
	*c->result = 0;
	if (kind == MA_INIT || kind == MA_TYPE) {
		uint32_t type = kind == MA_TYPE ? (uint32_t)c->args[1] : 0;
		if (!space_check(c->m, c->args[0], 4, true))
			return OUTCOME_END;
		memcpy((void *)c->args[0], &type, 4);
		return OUTCOME_DONE;
	}
	struct object *o = reset(c->m, c->args[0]);
	if (kind == M_INIT && c->args[1] > 4096) {
		if (!space_check(c->m, c->args[1], 4, false))
			return OUTCOME_END;
		memcpy(&o->type, (void *)c->args[1], 4);
	}
	o->count = (uint32_t)c->args[kind == B_INIT ? 2 : 0];
	o->value = kind == S_INIT ? (uint32_t)c->args[2] : 0;
	if (kind == B_INIT && !o->count)
		*c->result = EINVAL;
	return OUTCOME_DONE;
}

static enum outcome run_locks(struct call *c, int kind)
{
	switch (kind) {
	case M_LOCK:
		return lock(c, false);
	case M_TRY:
		return lock(c, true);
	case M_UNLOCK:
		return unlock(c);
	case M_DESTROY:
		*c->result = object(c->m, c->args[0])->owner ? EBUSY : 0;
		return OUTCOME_DONE;
	case R_READ:
		return read_lock(c, false);
	case R_TRY_READ:
		return read_lock(c, true);
	case R_WRITE:
		return write_lock(c, false);
	case R_TRY_WRITE:
		return write_lock(c, true);
	case R_UNLOCK:
		return unlock_any(c);
	default:
		return init(c, kind);
	}
}

static enum outcome run(struct call *c)
{
	int kind = c->kind;
	if (!is_own(kind) && schedule_switch(c->m, c->t))
		return OUTCOME_WAIT;
	switch (kind) {
	case CREATE:
		return create(c);
	case JOIN:
		return join(c);
	case DETACH:
		if (c->args[0] - 1 < c->m->threads.len)
			c->m->threads.at[c->args[0] - 1]->is_detached = true;
		*c->result = 0;
		return OUTCOME_DONE;
	case SELF:
		*c->result = handle(c->t);
		return OUTCOME_DONE;
	case EQUAL:
		*c->result = c->args[0] == c->args[1];
		return OUTCOME_DONE;
	case EXIT:
		return exit_thread(c);
	case YIELD:
	case SUCCESS:
		*c->result = 0;
		return OUTCOME_DONE;
	case C_WAIT:
		return wait_cond(c);
	case C_SIGNAL:
		return wake(c, false);
	case C_BROADCAST:
		return wake(c, true);
	case B_WAIT:
		return wait_barrier(c);
	case S_WAIT:
	case S_TRY:
	case S_POST:
	case S_VALUE:
		return semaphore(c, kind);
	case ONCE:
		return once(c);
	case K_CREATE:
	case K_GET:
	case K_SET:
		return keys(c, kind);
	default:
		return run_locks(c, kind);
	}
}

builtin sync_find(const char *name, int *kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name)) {
			*kind = names[i].kind;
			return run;
		}
	return NULL;
}
