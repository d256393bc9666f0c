// A null pointer grows.
// EXPECT record: status 0
#include <stdlib.h>

static char *volatile block;

int main(void)
{
	block = realloc(block, 100);
	free(block);
	return 0;
}
