// expect: double-close:observed
// A program that calls the kernel itself announces it, as sanitizer/linux_syscall_hooks.h of clang does.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

void __sanitizer_syscall_pre_impl_close(long fd);
void __sanitizer_syscall_post_impl_close(long rc, long fd);
void __sanitizer_syscall_pre_impl_openat(long folder, const void *name, long flags, long mode);
void __sanitizer_syscall_post_impl_openat(long rc, long folder, const void *name, long flags, long mode);

int main(void)
{
	const char *name = "/dev/null";
	__sanitizer_syscall_pre_impl_openat(AT_FDCWD, name, O_RDONLY, 0);
	long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);
	__sanitizer_syscall_post_impl_openat(fd, AT_FDCWD, name, O_RDONLY, 0);
	__sanitizer_syscall_pre_impl_close(fd);
	long rc = syscall(SYS_close, fd);
	__sanitizer_syscall_post_impl_close(rc, fd);
	return close((int)fd) == -1 && rc == 0 ? 0 : 1;
}
