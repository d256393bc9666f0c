/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread takes an inode, and a block for it if it has none: few threads meet at one inode, blocks are searched from a place
 * that depends on it. */
#include <pthread.h>

#define INODES 8
#define BLOCKS 16
#define THREADS 10
static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *take(void *arg)
{
	int i = (int)(long)arg % INODES;
	pthread_mutex_lock(&inode_lock[i]);
	if (!inode[i]) {
		int b = i * 2 % BLOCKS;
		for (int tries = 0; tries < BLOCKS; tries++, b = (b + 1) % BLOCKS) {
			pthread_mutex_lock(&block_lock[b]);
			if (!busy[b]) {
				busy[b] = 1;
				inode[i] = b + 1;
				pthread_mutex_unlock(&block_lock[b]);
				break;
			}
			pthread_mutex_unlock(&block_lock[b]);
		}
	}
	pthread_mutex_unlock(&inode_lock[i]);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	for (long i = 0; i < INODES; i++)
		pthread_mutex_init(&inode_lock[i], NULL);
	for (long i = 0; i < BLOCKS; i++)
		pthread_mutex_init(&block_lock[i], NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, take, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
