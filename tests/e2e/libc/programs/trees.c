/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories, walks and patterns, with callbacks into the program; search trees, hash tables, lists, regular
 * expressions, obstacks, vectors of texts.
 *
 * trace: T0 hidden:open-directory
 * trace: T0 hidden:file-walk
 * trace: T0 hidden:tree
 * trace: T0 hidden:hash-table
 */
#define _GNU_SOURCE
#include <argz.h>
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <obstack.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static int visits;

static void make(const char *path)
{
	FILE *f = fopen(path, "w");
	assert(f);
	fputs("content", f);
	fclose(f);
}

static int wanted(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int seen(const char *path, const struct stat *st, int flag)
{
	visits += path[0] && st->st_size >= 0 && flag >= 0;
	return 0;
}

static int seen_with_level(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	visits += path[at->base] && st->st_mode && flag >= 0 && at->level >= 0;
	return 0;
}

static void directories(void)
{
	static struct dirent **list;
	int n = scandir("dir", &list, wanted, alphasort);
	for (int i = 0; i < n; i++) {
		printf("%s ", list[i]->d_name);
		free(list[i]);
	}
	free(list);
	DIR *d = opendir("dir");
	assert(d && dirfd(d) >= 0);
	long start = telldir(d);
	while (readdir(d))
		n++;
	seekdir(d, start);
	rewinddir(d);
	assert(readdir(d));
	closedir(d);
	assert(!ftw("dir", seen, 4) && !nftw("dir", seen_with_level, 4, FTW_PHYS));
	printf("%d %d\n", n, visits);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void walks(void)
{
	static char *const roots[] = { "dir", NULL };
	static glob_t found;
	static wordexp_t words;
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	assert(walk);
	for (FTSENT *e; (e = fts_read(walk));)
		if (e->fts_info == FTS_F)
			printf("%s:%ld:%d ", e->fts_path, (long)e->fts_statp->st_size, e->fts_level);
	fts_close(walk);
	assert(!glob("dir/*.txt", 0, NULL, &found));
	for (size_t i = 0; i < found.gl_pathc; i++)
		printf("<%s>", found.gl_pathv[i]);
	globfree(&found);
	assert(!wordexp("a 'b c' $NOTHING d", &words, WRDE_NOCMD));
	for (size_t i = 0; i < words.we_wordc; i++)
		printf("(%s)", words.we_wordv[i]);
	wordfree(&words);
	puts("");
}

static int numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int total;

static void add(const void *node, VISIT when, int depth)
{
	if (when == postorder || when == leaf)
		total += **(int *const *)node + 0 * depth;
}

static void tables(void)
{
	static int values[20], table[8];
	static void *root;
	static size_t count;
	for (int i = 0; i < 20; i++) {
		values[i] = i * 7 % 20;
		int **node = tsearch(&values[i], &root, numbers);
		assert(node && **node == values[i]);
	}
	assert(**(int **)tfind(&values[3], &root, numbers) == values[3]);
	for (int i = 0; i < 10; i++)
		assert(tdelete(&values[i], &root, numbers));
	twalk(root, add);
	printf("%d\n", total);
	while (root)
		tdelete(*(int **)root, &root, numbers);
	for (int i = 0; i < 6; i++)
		*(int *)lsearch(&values[i % 4], table, &count, sizeof(*table), numbers) += 0;
	assert(count == 4 && lfind(&values[2], table, &count, sizeof(*table), numbers));
	assert(hcreate(10) && hsearch((ENTRY){ "key", values }, ENTER)->data == values);
	assert(hsearch((ENTRY){ "key", NULL }, FIND)->data == values && !hsearch((ENTRY){ "other", NULL }, FIND));
	hdestroy();
	static struct hsearch_data own;
	static ENTRY *found;
	assert(hcreate_r(10, &own) && hsearch_r((ENTRY){ "k", &own }, ENTER, &found, &own) && found->data == &own);
	hdestroy_r(&own);
}

static void expressions(void)
{
	static regex_t re;
	static regmatch_t m[3];
	static char text[64];
	assert(!regcomp(&re, "([a-z]+)=([0-9]+)", REG_EXTENDED) && re.re_nsub == 2);
	assert(!regexec(&re, "  key=42;", 3, m, 0) && m[0].rm_so == 2 && m[1].rm_eo == 5 && m[2].rm_so == 6);
	assert(regexec(&re, "nothing", 3, m, 0) == REG_NOMATCH);
	regerror(REG_NOMATCH, &re, text, sizeof(text));
	puts(text);
	regfree(&re);
}

static void kept(void)
{
	struct obstack stack;
	static char *vector;
	static size_t size;
	obstack_init(&stack);
	for (int i = 0; i < 1000; i++)
		obstack_grow(&stack, "0123456789", 10);
	obstack_1grow(&stack, 0);
	char *object = obstack_finish(&stack);
	assert(strlen(object) == 10000);
	char *copy = obstack_copy0(&stack, "text", 4);
	assert(!strcmp(copy, "text"));
	obstack_printf(&stack, "%d-%s", 5, "five");
	obstack_1grow(&stack, 0);
	puts(obstack_finish(&stack));
	obstack_free(&stack, copy);
	obstack_free(&stack, NULL);
	assert(!argz_create_sep("a:b:c", ':', &vector, &size) && size == 6 && argz_count(vector, size) == 3);
	assert(!argz_add(&vector, &size, "d"));
	for (char *e = NULL; (e = argz_next(vector, size, e));)
		printf("%s,", e);
	argz_stringify(vector, size, '+');
	puts(vector);
	free(vector);
}

int main(void)
{
	mkdir("dir", 0700);
	make("dir/one.txt");
	make("dir/two.txt");
	make("dir/three.c");
	directories();
	walks();
	tables();
	expressions();
	kept();
	return 0;
}
