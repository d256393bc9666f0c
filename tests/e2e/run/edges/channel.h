/* SPDX-License-Identifier: Apache-2.0 */
/* One message from one thread to another, by a mechanism that is chosen at the start. */
#ifndef HEDDLE_TEST_CHANNEL_H
#define HEDDLE_TEST_CHANNEL_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BY_SEM, BY_COND, BY_BARRIER, BY_PIPE, BY_SOCKET, BY_ATOMIC, BY_RMW, BY_RWLOCK, HOWS };
static const char *const how_names[] = { "sem",    "cond",   "barrier", "pipe",
					 "socket", "atomic", "rmw",     "rwlock" };
static int chosen_how;

/*
 * What is chosen at the start is read without a hook: reads of it in many sections would take each
 * other's cells, and a cell that is given up orders its sections.
 */
__attribute__((no_sanitize("thread"), noinline)) static int chosen(const int *at)
{
	return *(const volatile int *)at;
}
#define how chosen(&chosen_how)

struct channel {
	sem_t sem;
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	bool is_sent;
	atomic_int flag;
	int fd[2];
};

static void channel_init(struct channel *c)
{
	memset(c, 0, sizeof(*c));
	sem_init(&c->sem, 0, 0);
	pthread_mutex_init(&c->mutex, NULL);
	pthread_rwlock_init(&c->rwlock, NULL);
	pthread_cond_init(&c->cond, NULL);
	pthread_barrier_init(&c->barrier, NULL, 2);
	if (how == BY_SOCKET ? socketpair(AF_UNIX, SOCK_STREAM, 0, c->fd) : pipe(c->fd))
		exit(9);
}

static void give(struct channel *c)
{
	switch (how) {
	case BY_SEM:
		sem_post(&c->sem);
		break;
	case BY_COND:
		pthread_mutex_lock(&c->mutex);
		c->is_sent = true;
		pthread_cond_signal(&c->cond);
		pthread_mutex_unlock(&c->mutex);
		break;
	case BY_BARRIER:
		pthread_barrier_wait(&c->barrier);
		break;
	case BY_PIPE:
	case BY_SOCKET:
		if (write(c->fd[1], "", 1) != 1)
			exit(9);
		break;
	case BY_ATOMIC:
		atomic_store_explicit(&c->flag, 1, memory_order_release);
		break;
	case BY_RMW:
		atomic_fetch_add(&c->flag, 1);
		break;
	case BY_RWLOCK:
		pthread_rwlock_wrlock(&c->rwlock);
		c->is_sent = true;
		pthread_rwlock_unlock(&c->rwlock);
		break;
	default:
		exit(9);
	}
}

static bool is_there(struct channel *c)
{
	pthread_rwlock_rdlock(&c->rwlock);
	bool is_sent = c->is_sent;
	pthread_rwlock_unlock(&c->rwlock);
	return is_sent;
}

static void take(struct channel *c)
{
	char byte;
	switch (how) {
	case BY_SEM:
		sem_wait(&c->sem);
		break;
	case BY_COND:
		pthread_mutex_lock(&c->mutex);
		while (!c->is_sent)
			pthread_cond_wait(&c->cond, &c->mutex);
		pthread_mutex_unlock(&c->mutex);
		break;
	case BY_BARRIER:
		pthread_barrier_wait(&c->barrier);
		break;
	case BY_PIPE:
	case BY_SOCKET:
		if (read(c->fd[0], &byte, 1) != 1)
			exit(9);
		break;
	case BY_ATOMIC:
		while (!atomic_load_explicit(&c->flag, memory_order_acquire))
			sched_yield();
		break;
	case BY_RMW:
		while (!atomic_fetch_add(&c->flag, 0))
			sched_yield();
		break;
	case BY_RWLOCK:
		while (!is_there(c))
			sched_yield();
		break;
	default:
		exit(9);
	}
}

/* The index of a word, or the end of the program. */
__attribute__((unused)) static int choose(const char *word, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return i;
	fprintf(stderr, "no %s\n", word);
	exit(9);
}

#endif
