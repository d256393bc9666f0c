/* SPDX-License-Identifier: Apache-2.0 */
/* One case each: -DCASE_name. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
	char tag;
	long value;
	unsigned char index;
	int flag, unset;
	atomic_int count;
	struct record *next;
	unsigned low : 3, high : 5;
};

static struct record kept;
int table[256];	/* external: stores to it are kept */
static volatile int ignored;
static struct record *first;

static __attribute__((noinline)) struct record *again(struct record *old)
{
	free(old);
	first = malloc(sizeof(*first));
	return first;
}

static void *work(void *arg)
{
	struct record *r = arg;
#if defined(CASE_branch)
	if (r->flag)	/* HERE */
		table[0] = 1;
#elif defined(CASE_address)
	table[r->index]++;	/* HERE */
#elif defined(CASE_pointer)
	if ((uintptr_t)r->next & 1)	/* HERE */
		table[1] = 1;
#elif defined(CASE_output)
	printf("%d\n", r->flag);	/* HERE */
#elif defined(CASE_written)
	write(1, &r->flag, sizeof(r->flag));
#elif defined(CASE_counted)
	if (atomic_fetch_add(&r->count, 1) > 0)	/* HERE */
		table[2] = 1;
#elif defined(CASE_compared)
	if (!memcmp(&r->flag, "\0\0\0", 4))	/* HERE */
		table[3] = 1;
#elif defined(CASE_copied)
	struct record *copy = malloc(sizeof(*copy));
	memcpy(copy, r, sizeof(*copy));	/* HERE */
	if (copy->flag)
		table[4] = 1;
#elif defined(CASE_one_of_two)
	ignored = r->unset;
	if (r->flag)	/* HERE */
		table[5] = 1;
	ignored = r->index;
#elif defined(CASE_grown)
	char *text = malloc(20);
	memset(text, 'a', 20);
	text = realloc(text, 200);
	if (text[100])	/* HERE */
		table[6] = 1;
	free(text);
#elif defined(CASE_reused)
	memset(r, 0, sizeof(*r));
	r = again(r);
	if (r->flag)	/* HERE */
		table[7] = 1;
#elif defined(CASE_string)
	if (strlen((char *)&r->flag) == 3)	/* HERE */
		table[8] = 1;
#elif defined(CASE_ok_copy)
	kept = *r;
	memcpy(&kept, r, sizeof(kept));
#elif defined(CASE_ok_padding)
	struct record other = *r;
	if (other.tag == 't' && other.value == 1)
		table[9] = 1;
#elif defined(CASE_ok_unused)
	ignored = r->flag;
	ignored = r->flag + r->unset;
#elif defined(CASE_ok_calloc)
	struct record *zero = calloc(1, sizeof(*zero));
	if (zero->flag)
		table[10] = 1;
	free(zero);
#elif defined(CASE_ok_memset)
	memset(r, 0, sizeof(*r));
	if (r->flag || r->next)
		table[11] = 1;
#elif defined(CASE_ok_grown)
	char *text = malloc(20);
	memset(text, 'a', 20);
	text = realloc(text, 200);
	memset(text + 20, 'b', 180);
	if (text[19] != 'a' || text[100] != 'b')
		table[12] = 1;
	free(text);
#elif defined(CASE_ok_bits)
	r->low = 1;
	r->high = 2;
	if (r->low + r->high == 3)
		table[13] = 1;
#elif defined(CASE_ok_no_matter)
	if ((r->flag & 0) == 0)
		table[14] = 1;
	if (r->flag * 0)
		table[14] = 2;
#elif defined(CASE_ok_line)
	char *line = NULL;
	size_t room = 0;
	FILE *f = fmemopen((char[]){ "ab\n" }, 3, "r");
	if (getline(&line, &room, f) == 3 && line[1] == 'b' && !line[3])
		table[15] = 1;
	fclose(f);
	free(line);
#elif defined(CASE_ok_printed)
	char *text = malloc(100);
	snprintf(text, 100, "%c %ld", r->tag, r->value);
	puts(text);
	free(text);
#else
#error which case?
#endif
	return NULL;
}

int main(void)
{
	pthread_t t;
	first = malloc(sizeof(*first));
	first->tag = 't';
	first->value = 1;
	pthread_create(&t, NULL, work, first);
	pthread_join(t, NULL);
	return 0;
}
