/* Each call of a lock stands once, and optimisation would copy it: jump threading, rotation. */
#include <pthread.h>
extern pthread_mutex_t m;
extern int f(void), g(void);
int item(int *left);

int item(int *left)
{
	pthread_mutex_lock(&m);
	return --*left > 0;
}
void threaded(int x);
void threaded(int x)
{
	if (x == 0)
		f();
	pthread_mutex_lock(&m);
	if (x == 0)
		g();
}
void rotated(int *left);
void rotated(int *left)
{
	while (item(left))
		f();
}
