/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc's own functions behind our wrappers: real_<name>, found before main, or by REAL_FN on
 * first use in a constructor that runs earlier.
 */
#ifndef HEDDLE_RUN_REAL_H
#define HEDDLE_RUN_REAL_H

#include <aio.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* What getline and fscanf are called in programs that are optimised, and in those of C99 and later.
 */
ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream);
int __isoc99_vsscanf(const char *restrict from, const char *restrict format, va_list ap);
int __isoc99_vfscanf(FILE *restrict stream, const char *restrict format, va_list ap);

/* Functions of programs that are built with _FORTIFY_SOURCE: `room` is what fits. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t n, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *restrict len);
int __poll_chk(struct pollfd *list, nfds_t n, int end, size_t room);
int __ppoll_chk(struct pollfd *list, nfds_t n, const struct timespec *end, const sigset_t *mask,
		size_t room);
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict stream);
char *__fgets_chk(char *restrict to, size_t room, int n, FILE *restrict stream);
int __fprintf_chk(FILE *restrict stream, int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...);
int __vfprintf_chk(FILE *restrict stream, int flag, const char *restrict format, va_list ap);
int __vprintf_chk(int flag, const char *restrict format, va_list ap);
int __snprintf_chk(char *restrict to, size_t n, int flag, size_t room, const char *restrict format,
		   ...);
int __vsnprintf_chk(char *restrict to, size_t n, int flag, size_t room, const char *restrict format,
		    va_list ap);
int __sprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format, ...);
int __vsprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format,
		   va_list ap);
void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int c, size_t n, size_t room);
char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room);
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room);
char *__strcat_chk(char *restrict to, const char *restrict from, size_t room);
char *__strncat_chk(char *restrict to, const char *restrict from, size_t n, size_t room);
char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room);

#define REAL_VERSION(name, version) REAL(name)
#define REAL(name) extern __typeof__(name) *real_##name;
#include "run/real.def"
#undef REAL
#undef REAL_VERSION

void real_resolve(void);
void *real_find(const char *name, const char *version, void **slot);

#define REAL_FN(name)          \
	(likely(real_##name)   \
		 ? real_##name \
		 : (__typeof__(real_##name))real_find(#name, NULL, (void **)&real_##name))

/* glibc's allocator by names that are not interposed. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

#endif
