/* SPDX-License-Identifier: Apache-2.0 */
/* Terminals: their settings, names and pairs. */
#include "rt/libc_wrap.h"

#define ON_TERMINAL(name, parameters, arguments) \
	WRAP(int, name, parameters, arguments, NOTHING, NOTHING)

WRAP(int, tcgetattr, (int fd, struct termios *to), (fd, to), ROOM_OBJECT(to),
     WROTE_OBJECT_IF(!result, to))
WRAP(int, tcsetattr, (int fd, int when, const struct termios *from), (fd, when, from),
     READS_OBJECT(from), NOTHING)
ON_TERMINAL(tcflush, (int fd, int which), (fd, which))
ON_TERMINAL(tcflow, (int fd, int action), (fd, action))
ON_TERMINAL(tcsendbreak, (int fd, int duration), (fd, duration))
ON_TERMINAL(tcdrain, (int fd), (fd))
ON_TERMINAL(tcsetpgrp, (int fd, pid_t group), (fd, group))
WRAP(pid_t, tcgetpgrp, (int fd), (fd), NOTHING, NOTHING)
WRAP(pid_t, tcgetsid, (int fd), (fd), NOTHING, NOTHING)
ON_TERMINAL(vhangup, (void), ())

/* Settings in memory. */
#define SPEED(name)                                                                    \
	WRAP(int, name, (struct termios * settings, speed_t speed), (settings, speed), \
	     READS_OBJECT(settings), WROTE_OBJECT(settings))
SPEED(cfsetispeed)
SPEED(cfsetospeed)
SPEED(cfsetspeed)
WRAP(speed_t, cfgetispeed, (const struct termios *settings), (settings), READS_OBJECT(settings),
     NOTHING)
WRAP(speed_t, cfgetospeed, (const struct termios *settings), (settings), READS_OBJECT(settings),
     NOTHING)
WRAP_VOID(cfmakeraw, (struct termios * settings), (settings), READS_OBJECT(settings),
	  WROTE_OBJECT(settings))

/* ---- names ---- */

WRAP(char *, ttyname, (int fd), (fd), CHANGES(TERMINAL), WROTE_TEXT(result))
WRAP(int, ttyname_r, (int fd, char *to, size_t room), (fd, to, room), ROOM(to, room),
     if (!result) WROTE_TEXT(to))
WRAP(int, __ttyname_r_chk, (int fd, char *to, size_t n, size_t room), (fd, to, n, room),
     ROOM(to, n), if (!result) WROTE_TEXT(to))
WRAP(char *, ctermid, (char *to), (to), if (!to) CHANGES(TERMINAL), WROTE_TEXT(result))
WRAP(char *, ptsname, (int fd), (fd), CHANGES(TERMINAL), WROTE_TEXT(result))
WRAP(int, ptsname_r, (int fd, char *to, size_t room), (fd, to, room), ROOM(to, room),
     if (!result) WROTE_TEXT(to))
WRAP(int, __ptsname_r_chk, (int fd, char *to, size_t n, size_t room), (fd, to, n, room),
     ROOM(to, n), if (!result) WROTE_TEXT(to))

/* ---- pairs ---- */

ON_TERMINAL(posix_openpt, (int flags), (flags))
ON_TERMINAL(getpt, (void), ())
ON_TERMINAL(grantpt, (int fd), (fd))
ON_TERMINAL(unlockpt, (int fd), (fd))
ON_TERMINAL(login_tty, (int fd), (fd))
WRAP(int, openpty,
     (int *leader, int *follower, char *name, const struct termios *settings,
      const struct winsize *size),
     (leader, follower, name, settings, size), READS_OBJECT(settings);
     READS_OBJECT(size); ROOM_OBJECT(leader);
     ROOM_OBJECT(follower), WROTE_OBJECT_IF(!result, leader); WROTE_OBJECT_IF(!result, follower);
     if (!result) WROTE_TEXT(name))

static void wrote_line(const struct ttyent *t, pc_t pc)
{
	if (!t)
		return;
	rt_libc_wrote(t, sizeof(*t), pc);
	libc_wrote_text(t->ty_name, pc);
	libc_wrote_text(t->ty_getty, pc);
	libc_wrote_text(t->ty_type, pc);
}

WRAP(struct ttyent *, getttynam, (const char *name), (name), CHANGES(TERMINAL);
     READS_TEXT(name), wrote_line(result, PC))
WRAP(struct ttyent *, getttyent, (void), (), CHANGES(TERMINAL), wrote_line(result, PC))
