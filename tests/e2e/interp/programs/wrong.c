/* What a program must not do: the argument says which. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int *escaped;
static const char text[] = "constant";
__attribute__((noinline)) static void leave(void) { int own = 3; escaped = &own; printf("%d\n", *escaped); }
static int forever(int n) { volatile char big[1000]; big[0] = (char)n; return forever(n + 1) + big[0]; }
int main(int argc, char **argv)
{
	volatile int n = argc - 2;
	int *p = malloc(4 * sizeof(*p)), *q = NULL;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 4; i++)
		p[i] = i;
	switch (argv[1][0]) {
	case 'b': return p[4 + n];
	case 'n': return q[n];
	case 'u': free(p); return p[1];
	case 'd': free(p); free(p); return 0;
	case 'z': return 7 / n;
	case 'o': return (n - 2147483647 - 1) / (n - 1);
	case 'w': return (int)((__int128)((unsigned __int128)(n + 1) << 127) / (n - 1));
	case 'a': assert(n == 1); return 0;
	case 's': leave(); return *escaped;
	case 'c': *(volatile char *)text = 'C'; return 0;
	case 'r': return forever(0);
	case 'l': pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0;
	case 'f': pthread_mutex_unlock(&o); return 0;
	case 'x': for (;;) n++; return 0;
	case 'm': return system("true");
	default: return strlen(argv[1]) == 1 ? 42 : 0;
	}
}
