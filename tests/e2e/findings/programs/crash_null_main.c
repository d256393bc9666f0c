// The main thread writes through a null pointer.
// EXPECT record: status 1, kind crash
#include <stddef.h>

static int *volatile nowhere;

int main(void)
{
	*nowhere = 1;	// PLACE
	return 0;
}
