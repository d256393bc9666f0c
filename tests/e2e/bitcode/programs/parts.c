/* The form of everything that C code becomes. */
#include <complex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { float x, y; };
struct big { long a[5]; };
struct bits { unsigned a : 3, b : 17; int c : 9; };
union word { int i; float f; char c[4]; };
static const char *const names[] = { "a", "bb", "ccc" };
static struct { const char *name; int (*f)(const char *, ...); int *at; } table[] = { { "x" + 0, printf, 0 } };
extern char **environ;
static _Thread_local int own = 3;
static atomic_long total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static struct pair pair(float a) { struct pair r = { a, a * 2 }; return r; }
static long sum(struct big b) { long s = 0; for (int i = 0; i < 5; i++) s += b.a[i]; b.a[0] = 9; return s; }
static int many(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
static void *worker(void *a)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&m);
		counter += *(int *)a + own;
		pthread_mutex_unlock(&m);
		atomic_fetch_add_explicit(&total, i, memory_order_relaxed);
	}
	return a;
}
__attribute__((constructor)) static void first(void) { counter = 1; }

int main(int argc, char **argv)
{
	struct big b = { { 1, 2, 3, 4, 5 } }, c = b;
	struct pair q = pair(argc);
	struct bits s = { 1, 2, 3 };
	union word u = { .f = 1.5f };
	long double wide = 1.5L * argc;
	__extension__ unsigned __int128 huge = (unsigned __int128)argc << 70;
	double complex z = argc + 2.0 * I;
	long expected = 45;
	pthread_t t;
	int one = 1;
	s.b += (unsigned)argc;
	printf("%ld %f %f %Lf %d %d %d %f\n", sum(c), q.x, q.y, wide, (int)(huge >> 69), (int)s.b, u.i, creal(z * z));
	switch (argc) {
	case 1: puts("one"); break;
	case 5: puts("five"); break;
	default: puts(names[argc % 3]);
	}
	pthread_create(&t, 0, worker, &one);
	pthread_join(t, 0);
	atomic_compare_exchange_strong(&total, &expected, 7);
	char *text = malloc(10);
	strcpy(text, "hello");
	printf("%s %d %d %ld %s\n", text, counter, many(argc + 2, 1, 2, 3), (long)total, environ && argv[argc - 1] ? "yes" : "no");
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	free(text);
	return table[0].at ? 1 : 0;
}
