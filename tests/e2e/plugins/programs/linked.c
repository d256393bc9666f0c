/* A library that the program is linked with. */
#include "linked.h"

int linked_calls;

int linked_twice(int n)
{
	linked_calls++;
	return 2 * n;
}
