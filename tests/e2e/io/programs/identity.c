/* SPDX-License-Identifier: Apache-2.0 */
/* What differs from run to run and from place to place. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	unsigned char noise[16], more[8];
	char text[4096];
	struct stat st;
	struct utsname name;
	struct winsize size;
	printf("pid %d parent %d tid %d\n", (int)getpid(), (int)getppid(), (int)gettid());
	if (getrandom(noise, sizeof(noise), 0) == sizeof(noise) && !getentropy(more, sizeof(more)))
		printf("noise %02x%02x%02x%02x %02x%02x\n", noise[0], noise[1], noise[14], noise[15], more[0], more[7]);
	printf("arc4random %u\n", (unsigned)arc4random());
	if (!stat("seen", &st))
		printf("inode %lu size %ld changed %ld.%09ld\n", (unsigned long)st.st_ino, (long)st.st_size,
		       (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	if (!fstat(0, &st))
		printf("stdin %lu %o\n", (unsigned long)st.st_ino, (unsigned)st.st_mode);
	if (stat("not there", &st))
		printf("stat: %s\n", strerror(errno));
	printf("access %d, open %d\n", access("seen", R_OK), open("not there", O_RDONLY));
	if (!uname(&name) && !gethostname(text, sizeof(text)))
		printf("%s %s %s\n", name.sysname, name.release, text);
	printf("in %s\n", getcwd(text, sizeof(text)));
	ssize_t n = readlink("/proc/self/exe", text, sizeof(text) - 1);
	printf("exe %.*s\n", (int)n, text);
	printf("tty %d %d\n", isatty(0), ioctl(0, TIOCGWINSZ, &size));
	DIR *d = opendir(".");
	for (struct dirent *e; d && (e = readdir(d));)
		printf("entry %s %lu\n", e->d_name, (unsigned long)e->d_ino);
	if (d)
		closedir(d);
	FILE *f = fopen("/proc/self/stat", "r");
	if (f && fgets(text, sizeof(text), f))
		printf("proc %.30s\n", text);
	if (f)
		fclose(f);
	printf("place %s\n", getenv("PLACE") ? getenv("PLACE") : "unknown");
	time_t t = 0;
	printf("zone %s", ctime(&t));
	printf("processors %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}
