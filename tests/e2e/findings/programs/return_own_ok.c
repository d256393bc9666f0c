// The variable outlives the function.  Frames are left in every other way, and what is below them is used only by new frames.
// EXPECT record: status 0
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *kept;
static jmp_buf back;
static volatile int sum;

static __attribute__((noinline)) void choose(int value)
{
	static int chosen;
	chosen = value + 1;
	kept = &chosen;
}

static __attribute__((noinline)) void use(int *values, int n)
{
	for (int i = 0; i < n; i++)
		values[i] = i;
	for (int i = 0; i < n; i++)
		sum += values[i];
}

static __attribute__((noinline)) void deep(int n)
{
	int here[8];
	int *more = alloca((size_t)(n + 1) * sizeof(int));
	use(here, 8);
	use(more, n + 1);
	if (n)
		deep(n - 1);
	else
		longjmp(back, 1);
	use(here, 8);
}

static int by_value(const void *a, const void *b)
{
	int order[2] = { *(const int *)a, *(const int *)b };
	use(order, 2);
	return *(const int *)a - *(const int *)b;
}

static void handle(int number)
{
	int there[4];
	use(there, 4);
	use(kept, number > 0);
}

static char other[65536];

int main(void)
{
	int mine[6] = { 3, 1, 2, 6, 5, 4 }, copy[6];
	choose(4);
	sum += *kept;
	if (!setjmp(back))
		deep(5);
	use(mine, 6);
	qsort(mine, 6, sizeof(int), by_value);
	memcpy(copy, mine, sizeof(copy));
	for (int n = 1; n < 4; n++) {
		int part[n];
		use(part, n);
	}
	stack_t alternate = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	kept = mine;
	raise(SIGUSR1);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("%d\n", sum + copy[0]);
	return 0;
}
