/* SPDX-License-Identifier: Apache-2.0 */
/* Every libc header whose functions we wrap, for their types only. */
#ifndef HEDDLE_RT_LIBC_HEADERS_H
#define HEDDLE_RT_LIBC_HEADERS_H

#include <aliases.h>
#include <argp.h>
#include <argz.h>
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <assert.h>
#include <crypt.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <fts.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <link.h>
#include <linux/if_link.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <mntent.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <nl_types.h>
#include <nss.h>
#include <obstack.h>
#include <poll.h>
#include <printf.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <regex.h>
#include <resolv.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <ttyent.h>
#include <unistd.h>
#include <utime.h>
#include <utmp.h>
#include <utmpx.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>

/* These call a path by a name that rt.h needs. */
#pragma push_macro("SHADOW")
#undef SHADOW
#include <gshadow.h>
#include <shadow.h>
#undef SHADOW
#pragma pop_macro("SHADOW")

/* What has no header. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
int _IO_getc(FILE *stream);
int _IO_putc(int c, FILE *stream);
int __overflow(FILE *stream, int c);
int __uflow(FILE *stream);
int __cxa_at_quick_exit(void (*function)(void *), void *dso);
int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
void __longjmp_chk(struct __jmp_buf_tag to[1], int value) __attribute__((noreturn));
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
pid_t __fork(void);
int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);

/* libgen.h would rename the other basename. */
char *__xpg_basename(char *path);
char *dirname(char *path);

/* Macros of headers that have the names of functions. */
#undef obstack_free
#undef argz_next
#undef gettext
#undef dgettext
#undef ngettext
#undef dngettext
#undef p_type

/* Programs call it; that they should not is between them and their compiler. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* What has a header that names it otherwise, or no longer. */
struct capability_header {
	uint32_t version;
	int process;
};
int capget(struct capability_header *header, void *to);
int capset(struct capability_header *header, const void *from);
int __asprintf(char **to, const char *format, ...);
struct tm *__gmtime_r(const time_t *t, struct tm *to);
size_t __strftime_l(char *to, size_t room, const char *format, const struct tm *tm,
		    locale_t locale);
size_t __wcsftime_l(wchar_t *to, size_t room, const wchar_t *format, const struct tm *tm,
		    locale_t locale);
int __dn_expand(const unsigned char *message, const unsigned char *end, const unsigned char *from,
		char *to, int room);
int __res_query(const char *domain, int class, int type, unsigned char *answer, int room);
int __res_search(const char *domain, int class, int type, unsigned char *answer, int room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
ssize_t __pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room);
int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pivot_root(const char *path, const char *other);
void *__sbrk(intptr_t by);
int __strcasecmp(const char *a, const char *b);
locale_t __newlocale(int mask, const char *name, locale_t base);
locale_t __duplocale(locale_t locale);
void __freelocale(locale_t locale);
char *__nl_langinfo_l(nl_item item, locale_t locale);
int __strcoll_l(const char *a, const char *b, locale_t locale);
size_t __strxfrm_l(char *to, const char *from, size_t n, locale_t locale);
int __wcscoll_l(const wchar_t *a, const wchar_t *b, locale_t locale);
size_t __wcsxfrm_l(wchar_t *to, const wchar_t *from, size_t n, locale_t locale);
long __strtol_l(const char *s, char **end, int base, locale_t locale);
unsigned long __strtoul_l(const char *s, char **end, int base, locale_t locale);
long long __strtoll_l(const char *s, char **end, int base, locale_t locale);
unsigned long long __strtoull_l(const char *s, char **end, int base, locale_t locale);
double __strtod_l(const char *s, char **end, locale_t locale);
float __strtof_l(const char *s, char **end, locale_t locale);
long double __strtold_l(const char *s, char **end, locale_t locale);
size_t __mbrlen(const char *from, size_t n, mbstate_t *state);
char *__dcgettext(const char *domain, const char *text, int category);
size_t __argz_count(const char *vector, size_t size);
char *__argz_next(const char *vector, size_t size, const char *entry);
void __argz_stringify(char *vector, size_t size, int separator);
int __xstat(int version, const char *path, struct stat *to);
int __lxstat(int version, const char *path, struct stat *to);
int __fxstat(int version, int fd, struct stat *to);
int __fxstatat(int version, int directory, const char *path, struct stat *to, int flags);
int __xstat64(int version, const char *path, struct stat64 *to);
int __lxstat64(int version, const char *path, struct stat64 *to);
int __fxstat64(int version, int fd, struct stat64 *to);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *to, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
int __xmknodat(int version, int directory, const char *path, mode_t mode, dev_t *device);

/* scanf as C99 has it, which is what headers rename it to, and as it was before. */
int plain_scanf(const char *format, ...) __asm__("scanf");
int plain_vscanf(const char *format, va_list ap) __asm__("vscanf");
int plain_fscanf(FILE *stream, const char *format, ...) __asm__("fscanf");
int plain_vfscanf(FILE *stream, const char *format, va_list ap) __asm__("vfscanf");
int plain_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
int plain_vsscanf(const char *text, const char *format, va_list ap) __asm__("vsscanf");
int plain_wscanf(const wchar_t *format, ...) __asm__("wscanf");
int plain_vwscanf(const wchar_t *format, va_list ap) __asm__("vwscanf");
int plain_fwscanf(FILE *stream, const wchar_t *format, ...) __asm__("fwscanf");
int plain_vfwscanf(FILE *stream, const wchar_t *format, va_list ap) __asm__("vfwscanf");
int plain_swscanf(const wchar_t *text, const wchar_t *format, ...) __asm__("swscanf");
int plain_vswscanf(const wchar_t *text, const wchar_t *format, va_list ap) __asm__("vswscanf");
int __isoc99_wscanf(const wchar_t *format, ...);
int __isoc99_vwscanf(const wchar_t *format, va_list ap);
int __isoc99_fwscanf(FILE *stream, const wchar_t *format, ...);
int __isoc99_vfwscanf(FILE *stream, const wchar_t *format, va_list ap);
int __isoc99_swscanf(const wchar_t *text, const wchar_t *format, ...);
int __isoc99_vswscanf(const wchar_t *text, const wchar_t *format, va_list ap);
int __isoc99_scanf(const char *format, ...);
int __isoc99_vscanf(const char *format, va_list ap);
int __isoc99_fscanf(FILE *stream, const char *format, ...);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list ap);
int __isoc99_sscanf(const char *text, const char *format, ...);
int __isoc99_vsscanf(const char *text, const char *format, va_list ap);
int __xpg_strerror_r(int number, char *to, size_t size);

/* Second names, and the fortified forms that headers produce with _FORTIFY_SOURCE. */
void *__rawmemchr(const void *s, int byte);
char *__strdup(const char *s);
char *__strndup(const char *s, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memset(void *to, int byte, size_t n);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
char *__fgets_chk(char *to, size_t room, int size, FILE *stream);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *stream);
int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list ap);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list ap);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);
int __sprintf_chk(char *to, int flag, size_t limit, const char *format, ...);
int __vsprintf_chk(char *to, int flag, size_t limit, const char *format, va_list ap);
int __snprintf_chk(char *to, size_t room, int flag, size_t limit, const char *format, ...);
int __vsnprintf_chk(char *to, size_t room, int flag, size_t limit, const char *format, va_list ap);
int __asprintf_chk(char **to, int flag, const char *format, ...);
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *address,
		       socklen_t *size);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room);
ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room);
char *__getcwd_chk(char *to, size_t size, size_t room);
ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t n, size_t room);
int __getgroups_chk(int n, gid_t *to, size_t room);
int __gethostname_chk(char *to, size_t n, size_t room);
int __getdomainname_chk(char *to, size_t n, size_t room);
int __ttyname_r_chk(int fd, char *to, size_t n, size_t room);
int __ptsname_r_chk(int fd, char *to, size_t n, size_t room);
void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list ap);
char *__fgets_unlocked_chk(char *to, size_t room, int size, FILE *stream);
size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *stream);
int __obstack_printf_chk(struct obstack *to, int flag, const char *format, ...);
int __obstack_vprintf_chk(struct obstack *to, int flag, const char *format, va_list ap);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room);
size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t n, mbstate_t *state, size_t room);
size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t bytes, size_t n, mbstate_t *state,
			size_t room);
size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t n, mbstate_t *state, size_t room);
size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room);
int __wctomb_chk(char *to, wchar_t c, size_t room);
wchar_t *__fgetws_chk(wchar_t *to, size_t room, int size, FILE *stream);
wchar_t *__fgetws_unlocked_chk(wchar_t *to, size_t room, int size, FILE *stream);
int __wprintf_chk(int flag, const wchar_t *format, ...);
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap);
int __fwprintf_chk(FILE *stream, int flag, const wchar_t *format, ...);
int __vfwprintf_chk(FILE *stream, int flag, const wchar_t *format, va_list ap);
int __swprintf_chk(wchar_t *to, size_t room, int flag, size_t limit, const wchar_t *format, ...);
int __vswprintf_chk(wchar_t *to, size_t room, int flag, size_t limit, const wchar_t *format,
		    va_list ap);
char *__realpath_chk(const char *path, char *to, size_t room);

#endif
