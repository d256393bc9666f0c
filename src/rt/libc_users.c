/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users, groups, passwords, shells and logins: lists that libc reads from files and services
 * outside.  The functions without _r answer in buffers inside libc, which the next call
 * overwrites, and keep a place in the list; both are the object that the list is.  Those with _r
 * answer in the caller's buffer.
 */
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/shadow.h"

/* What of a result can be seen: the object and the texts that it leads to. */
static void wrote_user(const struct passwd *u, pc_t pc)
{
	if (!u)
		return;
	rt_libc_wrote(u, sizeof(*u), pc);
	libc_wrote_text(u->pw_name, pc);
	libc_wrote_text(u->pw_passwd, pc);
	libc_wrote_text(u->pw_gecos, pc);
	libc_wrote_text(u->pw_dir, pc);
	libc_wrote_text(u->pw_shell, pc);
}

static void wrote_group(const struct group *u, pc_t pc)
{
	if (!u)
		return;
	rt_libc_wrote(u, sizeof(*u), pc);
	libc_wrote_text(u->gr_name, pc);
	libc_wrote_text(u->gr_passwd, pc);
	libc_wrote_texts(u->gr_mem, pc);
}

static void wrote_shadow(const struct spwd *u, pc_t pc)
{
	if (!u)
		return;
	rt_libc_wrote(u, sizeof(*u), pc);
	libc_wrote_text(u->sp_namp, pc);
	libc_wrote_text(u->sp_pwdp, pc);
}

static void wrote_group_shadow(const struct sgrp *u, pc_t pc)
{
	if (!u)
		return;
	rt_libc_wrote(u, sizeof(*u), pc);
	libc_wrote_text(u->sg_namp, pc);
	libc_wrote_text(u->sg_passwd, pc);
	libc_wrote_texts(u->sg_adm, pc);
	libc_wrote_texts(u->sg_mem, pc);
}

#define FOUND(type, name, parameters, arguments, LIST, before, wrote) \
	WRAP(type *, name, parameters, arguments, CHANGES(LIST); before, wrote(result, PC))
#define FROM_STREAM(type, name, LIST, wrote)                                             \
	WRAP(type *, name, (FILE * stream), (stream), CHANGES(LIST);                     \
	     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC); \
	     wrote(result, PC))
#define FILLED(name, parameters, arguments, LIST, before)                                     \
	WRAP(int, name, parameters, arguments, LOOKS_AT(LIST); before; ROOM_OBJECT(to);       \
	     ROOM(buffer, room), WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room); \
	     WROTE_OBJECT(found))
#define FILLED_FROM_STREAM(type, name)                                                       \
	WRAP(int, name, (FILE * stream, type * to, char *buffer, size_t room, type **found), \
	     (stream, to, buffer, room, found), ROOM_OBJECT(to);                             \
	     ROOM(buffer, room);                                                             \
	     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC);     \
	     WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room); WROTE_OBJECT(found))
#define PLACE(name, LIST) WRAP_VOID(name, (void), (), CHANGES(LIST), NOTHING)

/* ---- users ---- */

FOUND(struct passwd, getpwnam, (const char *name), (name), USERS, READS_TEXT(name), wrote_user)
FOUND(struct passwd, getpwuid, (uid_t id), (id), USERS, NOTHING, wrote_user)
FOUND(struct passwd, getpwent, (void), (), USERS, NOTHING, wrote_user)
FROM_STREAM(struct passwd, fgetpwent, USERS, wrote_user)
FILLED(getpwnam_r,
       (const char *restrict name, struct passwd *restrict to, char *restrict buffer, size_t room,
	struct passwd **restrict found),
       (name, to, buffer, room, found), USERS, READS_TEXT(name))
FILLED(getpwuid_r,
       (uid_t id, struct passwd *restrict to, char *restrict buffer, size_t room,
	struct passwd **restrict found),
       (id, to, buffer, room, found), USERS, NOTHING)
FILLED(getpwent_r,
       (struct passwd *restrict to, char *restrict buffer, size_t room,
	struct passwd **restrict found),
       (to, buffer, room, found), USERS, CHANGES(USERS))
FILLED_FROM_STREAM(struct passwd, fgetpwent_r)
PLACE(setpwent, USERS)
PLACE(endpwent, USERS)
WRAP(int, putpwent, (const struct passwd *restrict user, FILE *restrict stream), (user, stream),
     READS_OBJECT(user);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC))
WRAP(int, lckpwdf, (void), (), CHANGES(SHADOW), NOTHING)
WRAP(int, ulckpwdf, (void), (), CHANGES(SHADOW), NOTHING)

/* ---- groups ---- */

FOUND(struct group, getgrnam, (const char *name), (name), GROUPS, READS_TEXT(name), wrote_group)
FOUND(struct group, getgrgid, (gid_t id), (id), GROUPS, NOTHING, wrote_group)
FOUND(struct group, getgrent, (void), (), GROUPS, NOTHING, wrote_group)
FROM_STREAM(struct group, fgetgrent, GROUPS, wrote_group)
FILLED(getgrnam_r,
       (const char *restrict name, struct group *restrict to, char *restrict buffer, size_t room,
	struct group **restrict found),
       (name, to, buffer, room, found), GROUPS, READS_TEXT(name))
FILLED(getgrgid_r,
       (gid_t id, struct group *restrict to, char *restrict buffer, size_t room,
	struct group **restrict found),
       (id, to, buffer, room, found), GROUPS, NOTHING)
FILLED(getgrent_r,
       (struct group *restrict to, char *restrict buffer, size_t room,
	struct group **restrict found),
       (to, buffer, room, found), GROUPS, CHANGES(GROUPS))
FILLED_FROM_STREAM(struct group, fgetgrent_r)
PLACE(setgrent, GROUPS)
PLACE(endgrent, GROUPS)
WRAP(int, putgrent, (const struct group *restrict group, FILE *restrict stream), (group, stream),
     READS_OBJECT(group);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC))

/* As many as there is room for are stored; the result is the number of all. */
WRAP(int, getgrouplist, (const char *name, gid_t group, gid_t *to, int *count),
     (name, group, to, count), READS_TEXT(name);
     READS_OBJECT(count); size_t room = *count > 0 ? (size_t)*count : 0;
     ROOM(to, room * sizeof(*to)), WROTE_CHANGES(to, room * sizeof(*to)); WROTE_OBJECT(count))

/* ---- passwords ---- */

FOUND(struct spwd, getspnam, (const char *name), (name), SHADOW, READS_TEXT(name), wrote_shadow)
FOUND(struct spwd, getspent, (void), (), SHADOW, NOTHING, wrote_shadow)
FOUND(struct spwd, sgetspent, (const char *line), (line), SHADOW, READS_TEXT(line), wrote_shadow)
FROM_STREAM(struct spwd, fgetspent, SHADOW, wrote_shadow)
FILLED(getspnam_r,
       (const char *name, struct spwd *to, char *buffer, size_t room, struct spwd **found),
       (name, to, buffer, room, found), SHADOW, READS_TEXT(name))
PLACE(setspent, SHADOW)
PLACE(endspent, SHADOW)
WRAP(int, putspent, (const struct spwd *user, FILE *stream), (user, stream), READS_OBJECT(user);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC))
FOUND(struct sgrp, getsgnam, (const char *name), (name), SHADOW, READS_TEXT(name),
      wrote_group_shadow)
FOUND(struct sgrp, getsgent, (void), (), SHADOW, NOTHING, wrote_group_shadow)
FROM_STREAM(struct sgrp, fgetsgent, SHADOW, wrote_group_shadow)
FILLED(getsgnam_r,
       (const char *name, struct sgrp *to, char *buffer, size_t room, struct sgrp **found),
       (name, to, buffer, room, found), SHADOW, READS_TEXT(name))
PLACE(setsgent, SHADOW)
PLACE(endsgent, SHADOW)
WRAP(int, putsgent, (const struct sgrp *group, FILE *stream), (group, stream), READS_OBJECT(group);
     bool holds = stream_begin(stream, true, PC), stream_end(stream, holds, PC))

/* ---- shells ---- */

FOUND(char, getusershell, (void), (), SHELLS, NOTHING, libc_wrote_text)
PLACE(setusershell, SHELLS)
PLACE(endusershell, SHELLS)

/* ---- logins ---- */

static void wrote_login(const struct utmp *u, pc_t pc)
{
	if (u)
		rt_libc_wrote(u, sizeof(*u), pc);
}

static void wrote_login_x(const struct utmpx *u, pc_t pc)
{
	if (u)
		rt_libc_wrote(u, sizeof(*u), pc);
}

FOUND(struct utmp, getutent, (void), (), LOGINS, NOTHING, wrote_login)
FOUND(struct utmp, getutid, (const struct utmp *like), (like), LOGINS, READS_OBJECT(like),
      wrote_login)
FOUND(struct utmp, getutline, (const struct utmp *like), (like), LOGINS, READS_OBJECT(like),
      wrote_login)
FOUND(struct utmp, pututline, (const struct utmp *login), (login), LOGINS, READS_OBJECT(login),
      wrote_login)
FOUND(struct utmpx, getutxent, (void), (), LOGINS, NOTHING, wrote_login_x)
FOUND(struct utmpx, getutxid, (const struct utmpx *like), (like), LOGINS, READS_OBJECT(like),
      wrote_login_x)
FOUND(struct utmpx, getutxline, (const struct utmpx *like), (like), LOGINS, READS_OBJECT(like),
      wrote_login_x)
FOUND(struct utmpx, pututxline, (const struct utmpx *login), (login), LOGINS, READS_OBJECT(login),
      wrote_login_x)
WRAP(int, getutent_r, (struct utmp * to, struct utmp **found), (to, found), CHANGES(LOGINS);
     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to); WROTE_OBJECT(found))
PLACE(setutent, LOGINS)
PLACE(endutent, LOGINS)
PLACE(setutxent, LOGINS)
PLACE(endutxent, LOGINS)
WRAP(int, utmpname, (const char *file), (file), CHANGES(LOGINS); READS_TEXT(file), NOTHING)
WRAP(int, utmpxname, (const char *file), (file), CHANGES(LOGINS); READS_TEXT(file), NOTHING)
WRAP_VOID(updwtmp, (const char *file, const struct utmp *login), (file, login), READS_TEXT(file);
	  READS_OBJECT(login), NOTHING)
WRAP_VOID(updwtmpx, (const char *file, const struct utmpx *login), (file, login), READS_TEXT(file);
	  READS_OBJECT(login), NOTHING)
WRAP_VOID(logwtmp, (const char *line, const char *name, const char *host), (line, name, host),
	  READS_TEXT(line);
	  READS_TEXT(name); READS_TEXT(host), NOTHING)
WRAP_VOID(login, (const struct utmp *entry), (entry), CHANGES(LOGINS); READS_OBJECT(entry), NOTHING)
WRAP(int, logout, (const char *line), (line), CHANGES(LOGINS); READS_TEXT(line), NOTHING)
WRAP(char *, getlogin, (void), (), CHANGES(LOGINS), WROTE_TEXT(result))
WRAP(int, getlogin_r, (char *to, size_t room), (to, room), LOOKS_AT(LOGINS);
     ROOM(to, room), if (!result) WROTE_TEXT(to))
WRAP(char *, cuserid, (char *to), (to), CHANGES(USERS), WROTE_TEXT(result))
WRAP(char *, getpass, (const char *prompt), (prompt), CHANGES(BUFFER);
     READS_TEXT(prompt), WROTE_TEXT(result))
