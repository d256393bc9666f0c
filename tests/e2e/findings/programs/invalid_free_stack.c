// A local array is freed.
// EXPECT record: status 1, kind invalid-free
#include <stdlib.h>

static char spare[64];
static int use_heap;

int main(int argc, char **argv)
{
	(void)argv;
	char local[64];
	char *block = malloc(64);
	block[0] = spare[0] = local[0] = (char)argc;
	char *volatile buffer = use_heap ? block : local;
	free(buffer);	// PLACE
	return 0;
}
