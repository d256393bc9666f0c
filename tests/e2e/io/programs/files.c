/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file that its argument names, writes another one, reads that back, makes and removes things. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[256] = "", back[256] = "";
	int in = open(argv[argc - 1], O_RDONLY);
	ssize_t n = read(in, text, sizeof(text) - 1);
	printf("read %zd: %s", n, text);
	printf("at %ld\n", (long)lseek(in, -3, SEEK_END));
	n = pread(in, back, 2, 1);
	printf("pread %.*s\n", (int)n, back);
	struct stat st;
	fstat(in, &st);
	char *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
	close(in);
	long sum = 0;
	for (long i = 0; i < st.st_size; i++)
		sum += p[i];
	printf("mapped %ld\n", sum);
	munmap(p, (size_t)st.st_size);

	FILE *f = fopen("written", "w+");
	fprintf(f, "line one\nline two\n");
	rewind(f);
	while (fgets(back, sizeof(back), f))
		printf("back: %s", back);
	fseek(f, 5, SEEK_SET);
	fputs("ONE", f);
	fclose(f);
	int fd = open("written", O_RDWR | O_APPEND);
	struct iovec parts[2] = { { "a", 1 }, { "bc\n", 3 } };
	printf("writev %zd\n", writev(fd, parts, 2));
	lseek(fd, 0, SEEK_SET);
	memset(back, 0, sizeof(back));
	struct iovec room[2] = { { back, 4 }, { back + 100, 100 } };
	printf("readv %zd: %s %s", readv(fd, room, 2), back, back + 100);
	printf("cut %d\n", ftruncate(fd, 4));
	close(fd);
	printf("mkdir %d\n", mkdir("dir", 0700));
	printf("rename %d\n", rename("written", "dir/moved"));
	printf("unlink %d\n", unlink("dir/moved"));
	printf("rmdir %d\n", rmdir("dir"));
	FILE *kept = fopen("kept", "w");
	fprintf(kept, "written by the recorded run only\n");
	return 0;	/* flushed by libc, after the end of control */
}
