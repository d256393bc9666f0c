/* SPDX-License-Identifier: Apache-2.0 */
/* Every libc header whose functions we wrap, for their types only. */
#ifndef HEDDLE_RT_LIBC_HEADERS_H
#define HEDDLE_RT_LIBC_HEADERS_H

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* libc's entry, which has no header. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) __attribute__((noreturn));

#endif
