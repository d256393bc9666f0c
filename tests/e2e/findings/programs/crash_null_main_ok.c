// The pointer is checked.
// EXPECT record: status 0
#include <stddef.h>

static int *volatile nowhere;

int main(void)
{
	int *p = nowhere;
	if (p)
		*p = 1;
	return 0;
}
