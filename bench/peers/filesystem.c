/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads take a node each of 32, and a block of 26 for it if it has none. */
#include "threads.h"

#define NODES 32
#define BLOCKS 26

static pthread_mutex_t node_locks[NODES], block_locks[BLOCKS];
static int nodes[NODES], busy[BLOCKS];

static void *create(void *number)
{
	int node = NUMBER(number) % NODES;
	pthread_mutex_lock(&node_locks[node]);
	if (!nodes[node]) {
		int block = node * 2 % BLOCKS;
		for (int tries = 0; tries < BLOCKS; tries++) {
			pthread_mutex_lock(&block_locks[block]);
			if (!busy[block]) {
				busy[block] = 1;
				nodes[node] = block + 1;
				pthread_mutex_unlock(&block_locks[block]);
				break;
			}
			pthread_mutex_unlock(&block_locks[block]);
			block = (block + 1) % BLOCKS;
		}
	}
	pthread_mutex_unlock(&node_locks[node]);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < NODES; i++)
		pthread_mutex_init(&node_locks[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		pthread_mutex_init(&block_locks[i], NULL);
	start_all(THREADS, create);
	join_all(THREADS);
	return 0;
}
