// The block itself is freed.
// EXPECT record: status 0
#include <stdlib.h>

static char spare[64];
static int use_heap = 1;

int main(int argc, char **argv)
{
	(void)argv;
	char local[64];
	char *block = malloc(64);
	block[0] = spare[0] = local[0] = (char)argc;
	char *volatile buffer = use_heap ? block : block + 16;
	free(buffer);
	return 0;
}
