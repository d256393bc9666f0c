/* SPDX-License-Identifier: Apache-2.0 */
/* Every libc header whose functions we wrap, for their types only. */
#ifndef HEDDLE_RT_LIBC_HEADERS_H
#define HEDDLE_RT_LIBC_HEADERS_H

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
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
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* What has no header. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
int _IO_getc(FILE *stream);
int _IO_putc(int c, FILE *stream);
int __overflow(FILE *stream, int c);
int __uflow(FILE *stream);
int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);

/* libgen.h would rename the other basename. */
char *__xpg_basename(char *path);
char *dirname(char *path);

/* scanf as C99 has it: what the headers rename it to when the program does not ask for GNU extensions. */
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
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *address, socklen_t *size);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room);
ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room);
char *__getcwd_chk(char *to, size_t size, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);

#endif
