/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifications of the kernel, or of libc for it: timers, message queues, asynchronous input and
 * output.  A notification is a signal (wrap_signal.c), or a thread that libc creates; such a
 * thread is watched while it runs the program's function.
 */
#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <time.h>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/memory.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/thr.h"
#include "run/thread.h"
#include "run/wrap.h"

/* A function that a thread of libc calls.  Never freed: its last call is not known. */
struct notice {
	void (*function)(union sigval value);
	union sigval value;
	uint32_t creator, stack;
};

static void notice_called(union sigval value)
{
	const struct notice *n = value.sival_ptr;
	thread_adopt(n->creator, n->stack);
	channel_receive(run_self, CHANNEL_NOTICES);
	n->function(n->value);
}

/* The event that is passed to libc, in `room` if it differs. */
static struct sigevent *event_for(struct thr *t, struct sigevent *event, struct sigevent *room,
				  uint32_t stack)
{
	if (!t || !event || event->sigev_notify != SIGEV_THREAD)
		return event;
	struct notice *n = run_alloc(sizeof(*n));
	*n = (struct notice){ event->sigev_notify_function, event->sigev_value, t->uid, stack };
	thread_before_create(t);
	*room = *event;
	room->sigev_notify_function = notice_called;
	room->sigev_value.sival_ptr = n;
	return room;
}

/* ---- timers ---- */

RUN_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event,
			    timer_t *restrict timer)
{
	struct thr *t = run_self;
	struct sigevent room;
	struct sigevent *real = event_for(t, event, &room, t ? STACK : 0);
	run_self = NULL; /* a helper thread that libc may create is not watched */
	int rc = REAL_FN(timer_create)(clock, real, timer);
	run_self = t;
	return rc;
}

RUN_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict new,
			     struct itimerspec *restrict old)
{
	channel_send(run_self, CHANNEL_NOTICES);
	return REAL_FN(timer_settime)(timer, flags, new, old);
}

RUN_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict new,
			 struct itimerval *restrict old)
{
	channel_send(run_self, CHANNEL_NOTICES);
	return REAL_FN(setitimer)(which, new, old);
}

RUN_EXPORT unsigned alarm(unsigned seconds)
{
	channel_send(run_self, CHANNEL_NOTICES);
	return REAL_FN(alarm)(seconds);
}

/* ---- message queues ---- */

static void will_send(struct thr *t, mqd_t queue, const char *text, size_t n, uintptr_t pc)
{
	if (!t)
		return;
	descriptor_write(t, queue, text, n, pc);
	channel_send(t, CHANNEL_OUTSIDE);
	channel_send(t, CHANNEL_NOTICES);
}

RUN_EXPORT int mq_send(mqd_t queue, const char *text, size_t n, unsigned priority)
{
	will_send(run_self, queue, text, n, PLACE);
	return REAL_FN(mq_send)(queue, text, n, priority);
}

RUN_EXPORT int mq_timedsend(mqd_t queue, const char *text, size_t n, unsigned priority,
			    const struct timespec *end)
{
	will_send(run_self, queue, text, n, PLACE);
	return REAL_FN(mq_timedsend)(queue, text, n, priority, end);
}

static ssize_t received(struct thr *t, mqd_t queue, char *text, ssize_t n, uintptr_t pc)
{
	int error = errno;
	if (t && n >= 0)
		channel_receive(t, CHANNEL_OUTSIDE);
	if (t)
		descriptor_read(t, queue, text, n, pc);
	errno = error;
	return n;
}

RUN_EXPORT ssize_t mq_receive(mqd_t queue, char *text, size_t room, unsigned *priority)
{
	return received(run_self, queue, text, REAL_FN(mq_receive)(queue, text, room, priority),
			PLACE);
}

RUN_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict text, size_t room,
				   unsigned *restrict priority, const struct timespec *restrict end)
{
	ssize_t n = REAL_FN(mq_timedreceive)(queue, text, room, priority, end);
	return received(run_self, queue, text, n, PLACE);
}

RUN_EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
	struct thr *t = run_self;
	struct sigevent room;
	struct sigevent *real = event_for(t, (struct sigevent *)event, &room, t ? STACK : 0);
	channel_send(t, CHANNEL_NOTICES);
	run_self = NULL;
	int rc = REAL_FN(mq_notify)(queue, real);
	run_self = t;
	return rc;
}

/* System V */

static void send_v(struct thr *t, int identity)
{
	channel_send(t, channel_of_number(CHANNEL_IPC, identity));
	channel_send(t, CHANNEL_OUTSIDE);
}

static void receive_v(struct thr *t, int identity)
{
	channel_receive(t, channel_of_number(CHANNEL_IPC, identity));
	channel_receive(t, CHANNEL_OUTSIDE);
}

RUN_EXPORT int msgsnd(int queue, const void *text, size_t n, int flags)
{
	struct thr *t = run_self;
	if (t)
		access_range(t, (uintptr_t)text, n + sizeof(long), 0, PLACE);
	send_v(t, queue);
	return REAL_FN(msgsnd)(queue, text, n, flags);
}

RUN_EXPORT ssize_t msgrcv(int queue, void *text, size_t n, long type, int flags)
{
	struct thr *t = run_self;
	ssize_t got = REAL_FN(msgrcv)(queue, text, n, type, flags);
	int error = errno;
	if (t && got >= 0) {
		receive_v(t, queue);
		access_range(t, (uintptr_t)text, (size_t)got + sizeof(long), CELL_WRITE, PLACE);
	}
	errno = error;
	return got;
}

/* Every operation may wake another thread, and may have waited for one. */
static int operated(struct thr *t, int set, int rc)
{
	int error = errno;
	if (!rc)
		receive_v(t, set);
	errno = error;
	return rc;
}

RUN_EXPORT int semop(int set, struct sembuf *list, size_t n)
{
	send_v(run_self, set);
	return operated(run_self, set, REAL_FN(semop)(set, list, n));
}

RUN_EXPORT int semtimedop(int set, struct sembuf *list, size_t n, const struct timespec *end)
{
	send_v(run_self, set);
	return operated(run_self, set, REAL_FN(semtimedop)(set, list, n, end));
}

/* ---- asynchronous input and output ---- */

static void will_begin(struct thr *t, const struct aiocb *c, uintptr_t pc)
{
	if (t)
		descriptor_write(t, c->aio_fildes, NULL, 0, pc);
	channel_send(t, CHANNEL_NOTICES);
}

RUN_EXPORT int aio_read(struct aiocb *c)
{
	struct thr *t = run_self;
	if (t)
		descriptor_use(t, c->aio_fildes, PLACE);
	channel_send(t, CHANNEL_NOTICES);
	run_self = NULL; /* libc's own threads */
	int rc = REAL_FN(aio_read)(c);
	run_self = t;
	return rc;
}

RUN_EXPORT int aio_write(struct aiocb *c)
{
	struct thr *t = run_self;
	if (t && c->aio_nbytes)
		access_range(t, (uintptr_t)c->aio_buf, c->aio_nbytes, 0, PLACE);
	will_begin(t, c, PLACE);
	run_self = NULL;
	int rc = REAL_FN(aio_write)(c);
	run_self = t;
	return rc;
}

RUN_EXPORT int lio_listio(int mode, struct aiocb *const list[restrict], int n,
			  struct sigevent *restrict event)
{
	struct thr *t = run_self;
	for (int i = 0; t && i < n; i++)
		if (list[i])
			will_begin(t, list[i], PLACE);
	run_self = NULL;
	int rc = REAL_FN(lio_listio)(mode, list, n, event);
	run_self = t;
	return rc;
}

/* The request is over: the thread receives from the writer of what was read. */
static void ended(struct thr *t, const struct aiocb *c)
{
	int error = errno;
	if (t && run_state.is_parallel)
		channel_receive(t, channel_of_descriptor(c->aio_fildes));
	errno = error;
}

RUN_EXPORT int aio_error(const struct aiocb *c)
{
	int rc = REAL_FN(aio_error)(c);
	if (!rc)
		ended(run_self, c);
	return rc;
}

RUN_EXPORT ssize_t aio_return(struct aiocb *c)
{
	struct thr *t = run_self;
	ssize_t got = REAL_FN(aio_return)(c);
	if (got >= 0)
		ended(t, c);
	if (t && got > 0 && c->aio_lio_opcode == LIO_READ)
		access_range(t, (uintptr_t)c->aio_buf, (size_t)got, CELL_WRITE, PLACE);
	return got;
}
