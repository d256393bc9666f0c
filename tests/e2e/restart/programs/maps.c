// RESTART fork: mmap
// Memory that the program maps by itself.
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || *p)
		return 1;
	*p = 1;
	return 0;
}
