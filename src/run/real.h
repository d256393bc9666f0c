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
