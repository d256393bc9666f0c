/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories and trees of files: positions in a directory, lists of entries, walks, patterns.
 * Functions that call back into the program do so without preemption, since libc is in the middle
 * of its work; what the callback is given is reported before it runs.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

#define OF_DIRECTORY(type, name, parameters, arguments, changes) \
	WRAP(type, name, parameters, arguments,                  \
	     libc_object(HIDDEN_OPEN_DIRECTORY, directory, changes, PC), NOTHING)
#define ON_DIRECTORY(name, parameters, arguments) \
	WRAP_VOID(name, parameters, arguments,    \
		  libc_object(HIDDEN_OPEN_DIRECTORY, directory, true, PC), NOTHING)

WRAP(DIR *, fdopendir, (int fd), (fd), NOTHING, NOTHING)
OF_DIRECTORY(int, dirfd, (DIR * directory), (directory), false)
OF_DIRECTORY(long, telldir, (DIR * directory), (directory), false)
ON_DIRECTORY(rewinddir, (DIR * directory), (directory))
ON_DIRECTORY(seekdir, (DIR * directory, long place), (directory, place))
WRAP(int, readdir_r,
     (DIR *restrict directory, struct dirent *restrict to, struct dirent **restrict found),
     (directory, to, found), libc_object(HIDDEN_OPEN_DIRECTORY, directory, true, PC),
     WROTE_OBJECT(found);
     WROTE(to, !result && *found ? to->d_reclen : 0))
WRAP(ssize_t, getdents64, (int fd, void *to, size_t room), (fd, to, room), ROOM(to, room),
     WROTE(to, result > 0 ? (size_t)result : 0))

/* ---- all entries, chosen and sorted by the program ---- */

/*
 * The callbacks of the call that is being made: libc gives them no argument of ours, and calls of
 * theirs are nested at most, since they are not preempted.
 */
struct listing {
	int (*choose)(const struct dirent *);
	int (*order)(const struct dirent **, const struct dirent **);
	pc_t pc;
	struct listing *outer;
};
static RT_STATE struct listing *listing;

static void show_entry(const struct dirent *entry)
{
	libc_wrote_if_changed(entry, entry->d_reclen, listing->pc);
}

static int choose(const struct dirent *entry)
{
	show_entry(entry);
	return listing->choose ? listing->choose(entry) : 1;
}

static int order(const struct dirent **a, const struct dirent **b)
{
	libc_wrote_if_changed(a, sizeof(*a), listing->pc);
	libc_wrote_if_changed(b, sizeof(*b), listing->pc);
	show_entry(*a);
	show_entry(*b);
	return listing->order(a, b);
}

static void listing_begin(struct listing *l)
{
	l->outer = listing;
	listing = l;
}

/* The array and the entries are in the heap and belong to the caller now. */
static void listing_end(struct dirent ***to, int count, pc_t pc)
{
	listing = listing->outer;
	if (count < 0)
		return;
	rt_libc_wrote(to, sizeof(*to), pc);
	rt_libc_wrote(*to, (size_t)count * sizeof(**to), pc);
	for (int i = 0; i < count; i++)
		rt_libc_wrote((*to)[i], (*to)[i]->d_reclen, pc);
}

#define LISTING(name, parameters, leading)                                                         \
	RT_EXPORT int name parameters                                                              \
	{                                                                                          \
		if (!libc_enter(PC))                                                               \
			return REAL_FN(name)(leading, to, chosen, ordered);                        \
		libc_read_string(path, PC);                                                        \
		struct listing l = { chosen, ordered, PC, NULL };                                  \
		listing_begin(&l);                                                                 \
		int count = LIBC_CALL(REAL_FN(name)(leading, to, choose, ordered ? order : NULL)); \
		listing_end(to, count, PC);                                                        \
		return count;                                                                      \
	}
#define COMMA ,
LISTING(scandir,
	(const char *restrict path, struct dirent ***restrict to,
	 int (*chosen)(const struct dirent *),
	 int (*ordered)(const struct dirent **, const struct dirent **)),
	path)
LISTING(scandirat,
	(int directory, const char *restrict path, struct dirent ***restrict to,
	 int (*chosen)(const struct dirent *),
	 int (*ordered)(const struct dirent **, const struct dirent **)),
	directory COMMA path)
LIBC_SAME(scandir64, scandir)
LIBC_SAME(scandirat64, scandirat)

#define ENTRY_ORDER(name, type)                                                    \
	WRAP(int, name, (const type **a, const type **b), (a, b), READS_OBJECT(a); \
	     READS_OBJECT(b); READS_TEXT((*a)->d_name); READS_TEXT((*b)->d_name), NOTHING)
ENTRY_ORDER(alphasort, struct dirent)
ENTRY_ORDER(alphasort64, struct dirent64)
ENTRY_ORDER(versionsort, struct dirent)
ENTRY_ORDER(versionsort64, struct dirent64)

/* ---- walks with a callback: what it is shown lies on libc's part of the stack, or is the path
 * ---- */

struct walk {
	int (*plain)(const char *, const struct stat *, int);
	int (*with_level)(const char *, const struct stat *, int, struct FTW *);
	pc_t pc;
	struct walk *outer;
};
static RT_STATE struct walk *walk;

static void show_file(const char *path, const struct stat *st)
{
	libc_wrote_if_changed(path, rt_strlen(path) + 1, walk->pc);
	libc_wrote_if_changed(st, sizeof(*st), walk->pc);
}

static int visit(const char *path, const struct stat *st, int flag)
{
	show_file(path, st);
	return walk->plain(path, st, flag);
}

static int visit_with_level(const char *path, const struct stat *st, int flag, struct FTW *level)
{
	show_file(path, st);
	libc_wrote_if_changed(level, sizeof(*level), walk->pc);
	return walk->with_level(path, st, flag, level);
}

RT_EXPORT int ftw(const char *path, int (*each)(const char *, const struct stat *, int),
		  int open_at_once)
{
	if (!libc_enter(PC))
		return REAL_FN(ftw)(path, each, open_at_once);
	libc_read_string(path, PC);
	struct walk w = { each, NULL, PC, walk };
	walk = &w;
	int result = LIBC_CALL(REAL_FN(ftw)(path, visit, open_at_once));
	walk = w.outer;
	return result;
}

RT_EXPORT int nftw(const char *path,
		   int (*each)(const char *, const struct stat *, int, struct FTW *),
		   int open_at_once, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(nftw)(path, each, open_at_once, flags);
	libc_read_string(path, PC);
	libc_hidden(HIDDEN_DIRECTORY, (flags & FTW_CHDIR) != 0, PC);
	struct walk w = { NULL, each, PC, walk };
	walk = &w;
	int result = LIBC_CALL(REAL_FN(nftw)(path, visit_with_level, open_at_once, flags));
	walk = w.outer;
	return result;
}

LIBC_SAME(ftw64, ftw)
LIBC_SAME(nftw64, nftw)

/* ---- walks step by step ---- */

/* An entry with its name and attributes. */
static void show_entry_of_walk(const FTSENT *entry, pc_t pc)
{
	libc_wrote_if_changed(entry, offsetof(FTSENT, fts_name) + entry->fts_namelen + 1, pc);
	if (entry->fts_level >= FTS_ROOTLEVEL && entry->fts_statp)
		libc_wrote_if_changed(entry->fts_statp, sizeof(*entry->fts_statp), pc);
}

/* The entry that the walk has come to, and its parent; only now do its paths, in the walk's
 * buffer, mean something. */
static void show_walked(const FTSENT *entry, pc_t pc)
{
	if (!entry)
		return;
	show_entry_of_walk(entry, pc);
	libc_wrote_if_changed(entry->fts_path, rt_strlen(entry->fts_path) + 1, pc);
	libc_wrote_if_changed(entry->fts_accpath, rt_strlen(entry->fts_accpath) + 1, pc);
	if (entry->fts_parent)
		show_entry_of_walk(entry->fts_parent, pc);
}

static void show_list(const FTSENT *entry, pc_t pc)
{
	for (; entry; entry = entry->fts_link)
		show_entry_of_walk(entry, pc);
}

/* The program's order of entries for each walk that has one; libc calls ours, which shows them
 * first. */
struct ordering {
	FTS *walking; /* NULL: being opened */
	int (*compare)(const FTSENT **, const FTSENT **);
	struct ordering *next;
};
static RT_STATE struct ordering *orderings, *spare_orderings;
static RT_STATE const struct ordering *ordering; /* of the call that is being made */
static RT_STATE pc_t ordering_pc;

static struct ordering *ordering_new(int (*compare)(const FTSENT **, const FTSENT **))
{
	struct ordering *o = spare_orderings;
	if (o)
		spare_orderings = o->next;
	else
		o = rt_map(sizeof(*o));
	*o = (struct ordering){ NULL, compare, orderings };
	orderings = o;
	return o;
}

static struct ordering **ordering_of(const FTS *walking)
{
	struct ordering **at = &orderings;
	while (*at && (*at)->walking != walking)
		at = &(*at)->next;
	return at;
}

static void ordering_free(struct ordering **at)
{
	struct ordering *o = *at;
	if (!o)
		return;
	*at = o->next;
	o->next = spare_orderings;
	spare_orderings = o;
}

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
	libc_wrote_if_changed(a, sizeof(*a), ordering_pc);
	libc_wrote_if_changed(b, sizeof(*b), ordering_pc);
	show_entry_of_walk(*a, ordering_pc);
	show_entry_of_walk(*b, ordering_pc);
	return ordering->compare(a, b);
}

static void walk_begin(const FTS *walking, pc_t pc)
{
	ordering = *ordering_of(walking);
	ordering_pc = pc;
}

RT_EXPORT FTS *fts_open(char *const *paths, int options,
			int (*compare)(const FTSENT **, const FTSENT **))
{
	if (!libc_enter(PC))
		return REAL_FN(fts_open)(paths, options, compare);
	libc_read_texts(paths, PC);
	struct ordering *o = compare ? ordering_new(compare) : NULL;
	walk_begin(NULL, PC);
	FTS *walking =
		LIBC_CALL(REAL_FN(fts_open)(paths, options, compare ? compare_entries : NULL));
	if (o && walking)
		o->walking = walking;
	else if (o)
		ordering_free(ordering_of(NULL));
	if (walking)
		rt_libc_wrote(walking, sizeof(*walking), PC);
	return walking;
}

#define ON_WALK(type, name, parameters, arguments, after)                                         \
	WRAP(type, name, parameters, arguments, libc_object(HIDDEN_FILE_WALK, walking, true, PC); \
	     walk_begin(walking, PC), after)
ON_WALK(FTSENT *, fts_read, (FTS * walking), (walking), WROTE_CHANGES(walking, sizeof(*walking));
	show_walked(result, PC))
ON_WALK(FTSENT *, fts_children, (FTS * walking, int options), (walking, options),
	show_list(result, PC))
ON_WALK(int, fts_set, (FTS * walking, FTSENT *entry, int option), (walking, entry, option),
	show_entry_of_walk(entry, PC))
ON_WALK(int, fts_close, (FTS * walking), (walking), ordering_free(ordering_of(walking)))
LIBC_SAME(fts64_open, fts_open)
LIBC_SAME(fts64_read, fts_read)
LIBC_SAME(fts64_children, fts_children)
LIBC_SAME(fts64_set, fts_set)
LIBC_SAME(fts64_close, fts_close)

/* ---- patterns ---- */

static void wrote_matches(const glob_t *to, pc_t pc)
{
	rt_libc_wrote(to, sizeof(*to), pc);
	size_t first = to->gl_flags & GLOB_DOOFFS ? to->gl_offs : 0;
	if (!to->gl_pathv)
		return;
	rt_libc_wrote(to->gl_pathv, (first + to->gl_pathc + 1) * sizeof(*to->gl_pathv), pc);
	for (size_t i = 0; i < to->gl_pathc; i++)
		libc_wrote_if_changed(to->gl_pathv[first + i],
				      rt_strlen(to->gl_pathv[first + i]) + 1, pc);
}

WRAP(int, glob,
     (const char *restrict pattern, int flags, int (*error)(const char *, int),
      glob_t *restrict to),
     (pattern, flags, error, to), READS_TEXT(pattern);
     READS(to, flags &(GLOB_APPEND | GLOB_DOOFFS) ? sizeof(*to) : 0);
     ROOM_OBJECT(to), wrote_matches(to, PC))
WRAP_VOID(globfree, (glob_t * matches), (matches), READS_OBJECT(matches), WROTE_OBJECT(matches))
LIBC_SAME(glob64, glob)
LIBC_SAME(globfree64, globfree)

static void wrote_words(const wordexp_t *to, int flags, pc_t pc)
{
	rt_libc_wrote(to, sizeof(*to), pc);
	size_t first = flags & WRDE_DOOFFS ? to->we_offs : 0;
	if (!to->we_wordv)
		return;
	rt_libc_wrote(to->we_wordv, (first + to->we_wordc + 1) * sizeof(*to->we_wordv), pc);
	for (size_t i = 0; i < to->we_wordc; i++)
		libc_wrote_if_changed(to->we_wordv[first + i],
				      rt_strlen(to->we_wordv[first + i]) + 1, pc);
}

WRAP(int, wordexp, (const char *restrict words, wordexp_t *restrict to, int flags),
     (words, to, flags), READS_TEXT(words);
     LOOKS_AT(ENVIRON); READS(to, flags &(WRDE_APPEND | WRDE_REUSE) ? sizeof(*to) : 0);
     ROOM_OBJECT(to), if (!result || result == WRDE_NOSPACE) wrote_words(to, flags, PC))
WRAP_VOID(wordfree, (wordexp_t * words), (words), READS_OBJECT(words), WROTE_OBJECT(words))
