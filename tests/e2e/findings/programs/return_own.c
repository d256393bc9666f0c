// A function returns a pointer to its variable, and the caller reads it.
// EXPECT record: status 1, kind use-after-return
#include <stdio.h>

static int *kept;

static __attribute__((noinline)) void choose(int value)
{
	int chosen = value + 1;	// PLACE-FUNCTION choose
	kept = &chosen;
}

int main(void)
{
	choose(4);
	int seen = *kept;	// PLACE
	printf("%d\n", seen);
	return 0;
}
