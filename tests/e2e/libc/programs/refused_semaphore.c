/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function without a model: natively it works; a controlled run ends and names it and its caller.
 *
 * refused: sem_init
 */
#include <assert.h>
#include <semaphore.h>
#include <stdio.h>

int main(void)
{
	sem_t s;
	int value;
	assert(!sem_init(&s, 0, 2) && !sem_wait(&s) && !sem_getvalue(&s, &value) && value == 1);
	puts("the semaphore works");
	return 0;
}
