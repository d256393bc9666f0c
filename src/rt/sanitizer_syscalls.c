/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements of system calls (sanitizer/linux_syscall_hooks.h).  They say nothing that the
 * runtime needs: it watches the system calls themselves, also those that libc does not make.
 */
#include "rt/rt.h"

static void nothing(void)
{
}

#define ALIAS(name) RT_EXPORT void name(void) __attribute__((alias("nothing")));
#define CALL(name)                                 \
	ALIAS(__sanitizer_syscall_pre_impl_##name) \
	ALIAS(__sanitizer_syscall_post_impl_##name)
#include "wire/sanitizer_syscalls.def"
