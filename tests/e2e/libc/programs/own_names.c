/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that have names of libc's: the program gets its own. */
int printf(const char *format, ...);	/* no header: it would declare the others */

int error(const char *what);
int getline(int x);
char *strsep(int x);
int sem_post(int x);

int error(const char *what)
{
	return printf("own error: %s\n", what);
}

int getline(int x)
{
	return x + 1;
}

char *strsep(int x)
{
	return x ? "own strsep" : "";
}

int sem_post(int x)
{
	return x * 2;
}

int main(void)
{
	error("none");
	printf("%d %s %d\n", getline(1), strsep(1), sem_post(4));
	return 0;
}
