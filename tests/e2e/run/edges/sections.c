/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-overs inside of a critical section.
 *
 *   sections PATTERN CHANNEL LOCK FIRST TWIN
 *
 * PATTERN: helper: a helper works for a client that holds the lock and waits for it;
 *          thread: the same, the helper is created and joined inside of the section;
 *          chain:  the helper has a helper;
 *          before: what is sent in a section leads to a section of the same lock, and to an access after it;
 *          inside: the message comes while the second section is open.
 * FIRST:   client or other: whose section is first in the run that is observed (before, inside: always the
 *          sender's).
 * TWIN:    ordered: no execution has a race; racy: the access is outside of the section.
 */
#include "../programs/turns.h"
#include "channel.h"

static const char *const patterns[] = { "helper", "thread", "chain", "before", "inside" };
static const char *const locks[] = { "mutex", "recursive", "spin", "write", "read" };
enum { HELPER, THREAD, CHAIN, BEFORE, INSIDE };
enum { MUTEX, RECURSIVE, SPIN, WRITE, READ };
static int chosen_pattern, chosen_lock, chosen_first, chosen_twin;
#define pattern chosen(&chosen_pattern)
#define lock_kind chosen(&chosen_lock)
#define is_client_first chosen(&chosen_first)
#define is_racy chosen(&chosen_twin)
static struct {
	int value;
	char rest[60];
} alone __attribute__((aligned(64)));	/* what lies in the same eight bytes would compete for its cells */
#define value alone.value
static struct channel request, reply, inner_request, inner_reply;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void acquire(bool is_client)
{
	if (lock_kind == MUTEX || lock_kind == RECURSIVE)
		pthread_mutex_lock(&mutex);
	if (lock_kind == RECURSIVE)
		pthread_mutex_lock(&mutex);
	else if (lock_kind == SPIN)
		pthread_spin_lock(&spin);
	else if (lock_kind == WRITE || (lock_kind == READ && !is_client))
		pthread_rwlock_wrlock(&rwlock);
	else if (lock_kind == READ)
		pthread_rwlock_rdlock(&rwlock);
}

static void release(void)
{
	if (lock_kind == MUTEX || lock_kind == RECURSIVE)
		pthread_mutex_unlock(&mutex);
	if (lock_kind == RECURSIVE)
		pthread_mutex_unlock(&mutex);
	else if (lock_kind == SPIN)
		pthread_spin_unlock(&spin);
	else if (lock_kind == WRITE || lock_kind == READ)
		pthread_rwlock_unlock(&rwlock);
}

static void work(void)
{
	if (is_racy)
		turn(2);	/* the client's section is over */
	value++;
}

static void *inner_helper(void *a)
{
	take(&inner_request);
	if (!is_racy)
		work();
	give(&inner_reply);
	if (is_racy)
		work();
	return a;
}

static void *helper(void *a)
{
	take(&request);
	if (pattern == CHAIN) {
		give(&inner_request);
		take(&inner_reply);
	} else if (!is_racy) {
		work();
	}
	give(&reply);
	if (pattern != CHAIN && is_racy)
		work();
	return a;
}

static void *created_helper(void *a)
{
	work();
	if (is_racy)
		done(3);
	return a;
}

static void serve_inside(void)
{
	pthread_t t;
	if (pattern != THREAD) {
		give(&request);
		take(&reply);
		return;
	}
	pthread_create(&t, NULL, created_helper, NULL);
	if (is_racy)
		pthread_detach(t);
	else
		pthread_join(t, NULL);
}

static void *client(void *a)
{
	if (!is_client_first)
		turn(1);
	acquire(true);
	serve_inside();
	release();
	done(2);
	return a;
}

static void *other(void *a)
{
	if (is_client_first)
		turn(2);
	acquire(false);
	value++;
	release();
	if (!is_client_first)
		done(1);
	return a;
}

static void *sender(void *a)
{
	if (is_racy)
		give(&request);
	acquire(true);
	if (!is_racy)
		give(&request);
	value++;
	release();
	done(1);
	return a;
}

static void *receiver(void *a)
{
	if (pattern == BEFORE)
		take(&request);
	turn(1);
	acquire(false);
	if (pattern == INSIDE)
		take(&request);
	release();
	value++;
	return a;
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 9;
	chosen_pattern = choose(argv[1], patterns, 5);
	chosen_how = choose(argv[2], how_names, HOWS);
	chosen_lock = choose(argv[3], locks, 5);
	chosen_first = !strcmp(argv[4], "client");
	chosen_twin = !strcmp(argv[5], "racy");
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	if (lock_kind == RECURSIVE)
		pthread_mutex_init(&mutex, &a);
	pthread_spin_init(&spin, 0);
	channel_init(&request);
	channel_init(&reply);
	channel_init(&inner_request);
	channel_init(&inner_reply);
	pthread_t t[4];
	unsigned n = 0;
	if (pattern == HELPER || pattern == CHAIN)
		pthread_create(&t[n++], NULL, helper, NULL);
	if (pattern == CHAIN)
		pthread_create(&t[n++], NULL, inner_helper, NULL);
	pthread_create(&t[n++], NULL, pattern >= BEFORE ? sender : client, NULL);
	pthread_create(&t[n++], NULL, pattern >= BEFORE ? receiver : other, NULL);
	while (n)
		pthread_join(t[--n], NULL);
	if (pattern == THREAD && is_racy)
		turn(3);
	return 0;
}
