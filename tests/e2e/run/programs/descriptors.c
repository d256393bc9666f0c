// expect: close-in-use:predicted double-close:observed
// A descriptor is closed by one thread while another may still write to it; another one is closed twice.
#include <fcntl.h>
#include "turns.h"
MUTEX(m);
static int fd, other;
static void *writer(void *a) { long n = write(fd, "x", 1); LOCK(m); UNLOCK(m); done(1); return n == 1 ? a : NULL; }
static void *closer(void *a) { turn(1); LOCK(m); UNLOCK(m); close(fd); close(other); close(other); return a; }
int main(void) { fd = open("/dev/null", O_WRONLY); other = open("/dev/null", O_WRONLY); both(writer, closer); return 0; }
