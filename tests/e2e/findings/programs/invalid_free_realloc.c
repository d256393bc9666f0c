// An address that is no block's grows.
// EXPECT record: status 1, kind invalid-free
#include <stdlib.h>

static char *volatile block = (char *)0x1230;

int main(void)
{
	block = realloc(block, 100);	// PLACE
	free(block);
	return 0;
}
