/* Every schedule, up and down, signed and unsigned, with chunks and without: each iteration once. */
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define N 61
static int done[N];

static void show(const char *what)
{
	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += done[i] != 1;
	printf("%s %d\n", what, wrong);
	memset(done, 0, sizeof(done));
}

static void count(int i)
{
#pragma omp atomic
	done[i]++;
}

static void signed_loops(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			count(i);
#pragma omp single
		show("static");
#pragma omp for schedule(static, 4)
		for (int i = N - 1; i >= 0; i--)
			count(i);
#pragma omp single
		show("static,4 down");
#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			count(i);
#pragma omp single
		show("dynamic");
#pragma omp for schedule(dynamic, 7)
		for (long i = 5L * (N - 1); i > -5; i -= 5)
			count((int)(i / 5));
#pragma omp single
		show("dynamic,7 down by 5");
#pragma omp for schedule(monotonic : guided, 2)
		for (int i = 0; i < N; i++)
			count(i);
#pragma omp single
		show("guided,2");
#pragma omp for schedule(runtime)
		for (int i = 0; i < N; i++)
			count(i);
#pragma omp single
		show("runtime");
#pragma omp for schedule(auto)
		for (int i = 0; i < N; i++)
			count(i);
#pragma omp single
		show("auto");
	}
}

static void unsigned_loops(void)
{
	unsigned long long base = ULLONG_MAX - 7 * N;
#pragma omp parallel for schedule(dynamic, 3) num_threads(3)
	for (unsigned long long i = base; i < base + 7 * N; i += 7)
		count((int)((i - base) / 7));
	show("unsigned dynamic");
#pragma omp parallel for schedule(guided) num_threads(3)
	for (unsigned long long i = N; i > 0; i--)
		count((int)(i - 1));
	show("unsigned guided down");
#pragma omp parallel for schedule(static, 5) num_threads(4)
	for (unsigned i = 0; i < N; i++)
		count((int)i);
	show("unsigned static,5");
#pragma omp parallel for schedule(runtime) num_threads(4)
	for (unsigned long i = 0; i < N; i++)
		count((int)i);
	show("unsigned runtime");
}

int main(void)
{
	static const struct {
		omp_sched_t kind;
		int chunk;
	} runtime[] = { { omp_sched_static, 0 }, { omp_sched_static, 3 }, { omp_sched_dynamic, 2 },
			{ omp_sched_guided, 1 }, { omp_sched_auto, 0 } };
	for (unsigned i = 0; i < sizeof(runtime) / sizeof(*runtime); i++) {
		omp_sched_t kind;
		int chunk;
		omp_set_schedule(runtime[i].kind, runtime[i].chunk);
		omp_get_schedule(&kind, &chunk);
		printf("schedule %d %d\n", kind == runtime[i].kind, chunk >= runtime[i].chunk);
		signed_loops();
	}
	unsigned_loops();
	int last = -1, empty = 0;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 2) num_threads(3)
	for (int i = 0; i < N; i += 3)
		last = i;
#pragma omp parallel for collapse(2) schedule(guided) num_threads(3)
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 10; j++)
			count(i * 10 + j);
	count(60);
	show("collapse");
#pragma omp parallel for schedule(dynamic) num_threads(2)
	for (int i = 5; i < 5; i++)
		empty++;
	printf("last %d empty %d\n", last, empty);
	return 0;
}
