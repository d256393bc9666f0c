/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements of system calls (sanitizer/linux_syscall_hooks.h).  The descriptor that is closed
 * is closed as by close(); the others say nothing that is used: system calls by number give no
 * order (doc/RUN.md).
 */
#include "run/descriptor.h"
#include "run/history.h"
#include "run/place.h"
#include "run/run.h"

static void nothing(void)
{
}

#define ALIAS(name) RUN_EXPORT void name(void) __attribute__((alias("nothing")));
#define CALL(name)                                 \
	ALIAS(__sanitizer_syscall_pre_impl_##name) \
	ALIAS(__sanitizer_syscall_post_impl_##name)
#define CLOSING(name)                                                      \
	RUN_EXPORT void __sanitizer_syscall_pre_impl_##name(long fd);      \
	RUN_EXPORT void __sanitizer_syscall_pre_impl_##name(long fd)       \
	{                                                                  \
		struct thr *t = run_self;                                  \
		if (t && !descriptor_is_closed((int)fd))                   \
			descriptor_close(t, (int)fd, stack_now(t, PLACE)); \
	}                                                                  \
	ALIAS(__sanitizer_syscall_post_impl_##name)
#include "wire/sanitizer_syscalls.def"
