// memcpy from an address that no memory can have.
// EXPECT record: status 1, kind crash
#include <string.h>

static const char *volatile from = (const char *)0x8000000000000000;
static char to[16];

int main(void)
{
	memcpy(to, from, sizeof(to));	// PLACE
	return to[0];
}
