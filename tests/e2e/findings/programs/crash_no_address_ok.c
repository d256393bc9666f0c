// memcpy from a text.
// EXPECT record: status 0
#include <string.h>

static const char *volatile from = "as long as the array";
static char to[16];

int main(void)
{
	memcpy(to, from, sizeof(to));
	return to[0] != 'a';
}
