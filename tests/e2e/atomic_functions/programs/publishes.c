/* What a thread stored before an atomic section is visible to all who see what the section stored, also with store
 * buffers.  OUTCOMES 2 */
#include <pthread.h>
#include <stdio.h>

static int data, ready;

static void __VERIFIER_atomic_publish(void)
{
	ready = 1;
}

static int __VERIFIER_atomic_is_ready(void)
{
	return ready;
}

static void *writer(void *unused)
{
	__atomic_store_n(&data, 1, __ATOMIC_RELAXED);
	__VERIFIER_atomic_publish();
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, writer, NULL);
	int seen = __VERIFIER_atomic_is_ready();
	printf("%d\n", seen ? 1 + __atomic_load_n(&data, __ATOMIC_RELAXED) : 0);
	pthread_join(t, NULL);
	return 0;
}
