// RESTART fork: openat
// What a program does with files cannot be undone in place.
#include <stdio.h>

int main(void)
{
	char line[8] = "";
	FILE *f = fopen("/proc/self/comm", "r");
	if (!f || !fgets(line, sizeof(line), f))
		return 1;
	printf("%s\n", line);
	fclose(f);
	return 0;
}
