/* SPDX-License-Identifier: Apache-2.0 */
/* A thread decides by a member of its job; wrong: the member is set for some jobs only. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
	char name;
	int number, is_urgent;
	long result;
};

static struct job copy;

static struct job *make(int number)
{
	struct job *j = malloc(sizeof(*j));
	j->name = 'j';
	j->number = number;
#ifdef WRONG
	if (number > 5)
#endif
		j->is_urgent = 0;
	return j;
}

static void *work(void *arg)
{
	struct job *j = arg;
	copy = *j;	/* padding and result included */
	if (j->is_urgent)
		puts("urgent");
	j->result = j->number;
	return NULL;
}

int main(void)
{
	pthread_t t;
	struct job *j = make(1);
	pthread_create(&t, NULL, work, j);
	pthread_join(t, NULL);
	int is_wrong = j->result != 1;
	free(j);
	return is_wrong;
}
