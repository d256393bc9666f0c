/* SPDX-License-Identifier: Apache-2.0 */
// THREADS threads each find a free block for an inode of their own; inodes 13 apart begin to search at the same block.
#include <pthread.h>
#include <stddef.h>

#define INODES 32
#define BLOCKS 26
static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], is_busy[BLOCKS], numbers[THREADS];

static void *allocate(void *number)
{
	int i = *(int *)number % INODES;
	pthread_mutex_lock(&inode_lock[i]);
	for (int b = i * 2 % BLOCKS; inode[i] == 0; b = (b + 1) % BLOCKS) {
		pthread_mutex_lock(&block_lock[b]);
		if (!is_busy[b]) {
			is_busy[b] = 1;
			inode[i] = b + 1;
		}
		pthread_mutex_unlock(&block_lock[b]);
	}
	pthread_mutex_unlock(&inode_lock[i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		numbers[k] = k;
		pthread_create(&threads[k], NULL, allocate, &numbers[k]);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
