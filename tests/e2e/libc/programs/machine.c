/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process and the machine, files by descriptors and directories, terminals, the log, random numbers of all
 * kinds, messages, mappings, numbers with two results.
 *
 * libraries: -lm
 * trace: T0 hidden:identity
 * trace: T0 hidden:rand48
 * trace: T0 hidden:messages
 * trace: T0 hidden:log
 * trace: T0 hidden:limits
 * trace: T0 hidden:directory
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static struct stat st;
static char text[4096];

static void process(void)
{
	static uid_t u, e, s;
	static gid_t groups[64];
	static struct rlimit limit;
	static struct tms spent;
	static struct sysinfo info;
	static double load[3];
	static char name[16];
	assert(!getresuid(&u, &e, &s) && u == getuid() && e == geteuid() && getgroups(64, groups) >= 0);
	assert(!prlimit(0, RLIMIT_NOFILE, NULL, &limit) && limit.rlim_cur > 0 && !setrlimit(RLIMIT_NOFILE, &limit));
	assert(times(&spent) != (clock_t)-1 && spent.tms_utime >= 0 && !sysinfo(&info) && info.totalram > 0);
	assert(getloadavg(load, 3) <= 3 && load[0] >= 0);
	/* 0 is an answer too: in a container whose first process came from outside, group and session have no number. */
	assert(getpgid(0) >= 0 && getsid(0) >= 0);
	errno = 0;
	assert(getpriority(PRIO_PROCESS, 0) > -30 && confstr(_CS_PATH, text, sizeof(text)) > 0 && text[0] == '/');
	assert(!prctl(PR_SET_NAME, "worker") && !prctl(PR_GET_NAME, name) && !strcmp(name, "worker"));
	assert(prctl(PR_GET_DUMPABLE) >= 0);
}

static void files(void)
{
	static struct statfs fs;
	static struct statvfs vfs;
	static struct statx sx;
	static struct timespec moments[2];
	static struct timeval old[2];
	static struct utimbuf older;
	int here = open(".", O_RDONLY | O_DIRECTORY), fd = openat(here, "file", O_RDWR | O_CREAT, 0600);
	assert(here >= 0 && fd >= 0 && write(fd, "content", 7) == 7);
	assert(!fchmod(fd, 0640) && !fstatat(here, "file", &st, 0) && (st.st_mode & 0777) == 0640 && st.st_size == 7);
	assert(!statx(here, "file", 0, STATX_SIZE, &sx) && sx.stx_size == 7);
	assert(!linkat(here, "file", here, "other", 0) && !symlinkat("file", here, "link"));
	assert(readlinkat(here, "link", text, sizeof(text)) == 4 && !memcmp(text, "file", 4));
	assert(!faccessat(here, "link", R_OK, 0) && !mkdirat(here, "sub", 0700) && !renameat(here, "other", here, "sub/x"));
	moments[0].tv_sec = moments[1].tv_sec = 1000;
	assert(!futimens(fd, moments) && !fstat(fd, &st) && st.st_mtime == 1000);
	assert(!utimensat(here, "file", moments, 0) && !utimes("file", old) && !utime("file", &older));
	assert(!statfs(".", &fs) && fs.f_bsize > 0 && !fstatfs(fd, &fs) && !statvfs(".", &vfs) && vfs.f_bsize > 0);
	assert(!posix_fallocate(fd, 0, 100) && !posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	assert(pathconf(".", _PC_NAME_MAX) > 10 && getxattr("file", "user.none", text, sizeof(text)) == -1);
	if (!fsetxattr(fd, "user.name", "value", 5, 0)) {
		assert(fgetxattr(fd, "user.name", text, sizeof(text)) == 5 && !memcmp(text, "value", 5));
		assert(flistxattr(fd, text, sizeof(text)) > 0 && !fremovexattr(fd, "user.name"));
	}
	char *place = get_current_dir_name(), *full = canonicalize_file_name("link");
	assert(place && full && !strncmp(place, full, strlen(place)) && !strcmp(full + strlen(full) - 4, "file"));
	free(place);
	free(full);
	assert(!chdir("sub") && !fchdir(here) && !unlinkat(here, "sub/x", 0) && !unlinkat(here, "sub", AT_REMOVEDIR));
	assert(!close(fd) && !unlink("file") && !unlink("link"));
}

static void terminals(void)
{
	static struct termios settings;
	static char name[64];
	assert(tcgetattr(0, &settings) == -1 || 1);
	cfmakeraw(&settings);
	assert(!cfsetispeed(&settings, B9600) && cfgetispeed(&settings) == B9600 && ctermid(name) == name);
	int leader = posix_openpt(O_RDWR | O_NOCTTY);
	if (leader >= 0) {
		assert(!grantpt(leader) && !unlockpt(leader) && !ptsname_r(leader, name, sizeof(name)) && name[0] == '/');
		assert(!strcmp(ptsname(leader), name));
		close(leader);
	}
}

static void randomness(void)
{
	static char state[64], own[64];
	static struct random_data data;
	static struct drand48_data data48;
	static int32_t number;
	static double real;
	static unsigned short seed[3] = { 1, 2, 3 };
	char *before = initstate(7, state, sizeof(state));
	long first = random();
	printf("%ld ", first + state[4] * 0);
	assert(setstate(before) == state);
	assert(!initstate_r(5, own, sizeof(own), &data) && !random_r(&data, &number));
	printf("%d ", (int)number);
	assert(!srand48_r(9, &data48) && !drand48_r(&data48, &real));
	printf("%.6f %d ", real, seed48(seed)[0] >= 0);
	printf("%ld\n", lrand48());
}

static void messages(void)
{
	setlocale(LC_ALL, "C");
	assert(bindtextdomain("none", "/nowhere") && !strcmp(textdomain("none"), "none"));
	printf("%s %s %s\n", gettext("text"), dgettext("other", "more"), ngettext("one", "many", 3));
	openlog("heddle-test", LOG_PID, LOG_USER);
	assert(setlogmask(LOG_UPTO(LOG_EMERG)));
	syslog(LOG_DEBUG, "not sent: %s %d", text, 5);
	closelog();
	error(0, ENOENT, "message %d of %s", 1, "error");
	error_at_line(0, 0, "file.c", 12, "at %s", "a place");
	assert(error_message_count == 2 && strerror(ENOENT)[0] == 'N' && strerror(99999)[0] == 'U');
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
	assert(c && strtod_l("2.5", NULL, c) == 2.5 && !strcoll_l("a", "a", c));
	struct tm tm = { .tm_year = 100, .tm_mday = 1 };
	assert(strftime_l(text, sizeof(text), "%Y-%m-%d", &tm, c) == 10);
	printf("%s\n", text);
	freelocale(c);
}

static void memory(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static unsigned char resident[4];
	static void *stack[16];
	strcpy(p, "moves along");
	p = mremap(p, 4096, 3 * 4096, MREMAP_MAYMOVE);
	assert(p != MAP_FAILED && !strcmp(p, "moves along") && !p[2 * 4096]);
	assert(!mincore(p, 4096, resident) && resident[0] & 1 && !msync(p, 4096, MS_ASYNC));
	munmap(p, 3 * 4096);
	char *end = sbrk(4096);
	assert(end != (char *)-1 && !end[0]);
	end[0] = 1;
	assert(sbrk(-4096) != (void *)-1);
	assert(backtrace(stack, 16) > 0 && stack[0]);
	char **names = backtrace_symbols(stack, 1);
	assert(names && names[0][0]);
	free(names);
}

static void numbers(void)
{
	static int sign, quotient, point, negative;
	static long double sine, cosine;
	assert(lgamma(-0.5) > 1 && signgam == -1 && lgamma_r(0.5, &sign) > 0 && sign == 1);
	assert(remquo(7, 2, &quotient) == -1 && quotient == 4);
	sincosl(0, &sine, &cosine);
	assert(sine == 0 && cosine == 1);
	printf("%s %d %d\n", ecvt(-12.5, 4, &point, &negative), point, negative);
}

int main(void)
{
	process();
	files();
	terminals();
	randomness();
	messages();
	memory();
	numbers();
	return 0;
}
