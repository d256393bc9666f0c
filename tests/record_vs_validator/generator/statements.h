/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all programs share, and what their threads do one by one: a table of statements with
 * holes; a hole is a dollar sign and a letter (see expand).
 */
#ifndef GENERATOR_STATEMENTS_H
#define GENERATOR_STATEMENTS_H

#include "random.h"

/* ---- the part that all programs share ---- */

static const char prelude[] =
	"#define _GNU_SOURCE\n"
	"#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n"
	"#include <stdatomic.h>\n"
	"#include <signal.h>\n#include <stdint.h>\n"
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
	"#include <unistd.h>\n\n"
	"typedef uint8_t u1;\ntypedef uint16_t u2;\ntypedef uint32_t u4;\ntypedef uint64_t u8;\n"
	"static u1 b1[8];\nstatic u2 b2[8];\nstatic u4 b4[8] = { 1, 2, 3 };\nstatic u8 b8[8];\n"
	"static union { u1 b[32]; u2 h[16]; u4 w[8]; u8 d[4]; } mix[2];\n"
	"static struct { unsigned a : 3, b : 7, c : 12; u8 d : 40, e : 24; } bits;\n"
	"static struct __attribute__((packed)) { u1 c; u4 w; u8 d; } packed;\n"
	"static _Atomic u1 a1;\nstatic _Atomic u2 a2;\nstatic _Atomic u4 a4;\nstatic _Atomic u8 "
	"a8;\n"
	"static _Atomic unsigned __int128 a16;\n"
	"static volatile u4 vol;\nstatic __thread u4 tls_word = 7;\nstatic __thread u8 "
	"tls_array[2];\n"
	"static u4 index_of[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };\n"
	"static u4 *pointer[4] = { &b4[0], &b4[5], &mix[0].w[1], &mix[1].w[6] };\n"
	"static char text[2][64];\n"
	"static pthread_t handles[8];\n"
	"struct box { u4 w; u8 d; };\nstatic struct box global_box;\n\n"
	"struct node { u4 size; u4 sum; u1 bytes[]; };\n"
	"static struct node *slot[4];\nstatic pthread_mutex_t slot_lock = "
	"PTHREAD_MUTEX_INITIALIZER;\n\n"
	"static struct node *node_new(unsigned size, unsigned seed)\n{\n"
	"\tstruct node *n = malloc(sizeof(*n) + size);\n\tn->size = size;\n\tn->sum = seed;\n"
	"\tmemset(n->bytes, (int)seed, size);\n\treturn n;\n}\n\n"
	"static void node_put(unsigned k, struct node *n)\n{\n"
	"\tpthread_mutex_lock(&slot_lock);\n\tstruct node *old = slot[k];\n\tslot[k] = n;\n"
	"\tpthread_mutex_unlock(&slot_lock);\n\tfree(old);\n}\n\n"
	"static struct node *node_take(unsigned k)\n{\n"
	"\tpthread_mutex_lock(&slot_lock);\n\tstruct node *n = slot[k];\n\tslot[k] = NULL;\n"
	"\tpthread_mutex_unlock(&slot_lock);\n\treturn n;\n}\n\n"
	"static void add_to(u4 *p, u4 v)\n{\n\t*p += v;\n}\n\n"
	"static u8 descend(unsigned n, u1 *p)\n{\n\tu1 local = *p;\n"
	"\treturn n ? local + descend(n - 1, p + 1) : local;\n}\n\n"
	"static int by_value(const void *a, const void *b)\n{\n"
	"\tu4 x = *(const u4 *)a, y = *(const u4 *)b;\n\tb2[0]++;\n\treturn x < y ? -1 : x > "
	"y;\n}\n\n"
	"static u8 now(void)\n{\n\tstruct timespec t;\n\tclock_gettime(CLOCK_MONOTONIC, &t);\n"
	"\treturn (u8)t.tv_sec * 1000000000u + (u8)t.tv_nsec;\n}\n\n"
	"static __thread struct timespec deadline;\n\n"
	"static struct timespec *soon(clockid_t clock, unsigned us)\n{\n\tclock_gettime(clock, "
	"&deadline);\n"
	"\tdeadline.tv_nsec += us * 1000;\n\tif (deadline.tv_nsec >= 1000000000) {\n"
	"\t\tdeadline.tv_nsec -= 1000000000;\n\t\tdeadline.tv_sec++;\n\t}\n\treturn "
	"&deadline;\n}\n\n"
	"static sem_t tokens;\nstatic pthread_mutex_t timed_lock = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_cond_t never = PTHREAD_COND_INITIALIZER;\n\n";

static const unsigned struct_sizes[] = { 4, 8, 16, 24, 40, 4096 };

/* ---- statements ---- */

static const char *const values[] = {
	"$k",
	"acc",
	"acc >> $n",
	"b1[$i]",
	"b2[$i]",
	"b4[$i]",
	"b8[$i]",
	"mix[$b].b[$i]",
	"mix[$b].h[$i]",
	"mix[$b].w[$i]",
	"mix[$b].d[$q]",
	"bits.a",
	"bits.c",
	"bits.d",
	"packed.w",
	"packed.d",
	"vol",
	"tls_word",
	"tls_array[$b]",
	"*pointer[$q]",
	"atomic_load_explicit(&a$x, $O)",
	"a$x",
	"box->w",
	"box->d",
	"x$s.a[0]",
	"h$s->a[0]",
	"p$s->a[0]",
	"text[$b][$i]",
};

/* Memory only: no function of libc is called, so a handler or a thread that may be cancelled at
 * any time can do it. */
#define PLAIN_STATEMENTS                                                                          \
	"b1[$i] = $v;", "b2[$i] = $v;", "b4[$i] = $v;", "b8[$i] = $v;", "b1[$i]++;",              \
		"b2[$i] -= $v;", "b4[$i] ^= $v;", "b8[$i] += $v;", "mix[$b].b[$i + $n] = $v;",    \
		"mix[$b].h[$i] = $v;", "mix[$b].w[$i] += $v;", "mix[$b].d[$q] = $v;",             \
		"bits.a = $v;", "bits.b++;", "bits.c ^= $v;", "bits.d = $v;", "bits.e += $v;",    \
		"packed.w = $v;", "packed.d += $v;", "packed.c--;", "acc += $v;",                 \
		"acc ^= $v * 31;", "acc = acc * 5 + $v;", "if ($v & 1)\n\t\tacc += $v;",          \
		"vol = $v;", "vol++;", "tls_word += $v;", "tls_array[$b] = $v;", "box->w += $v;", \
		"box->d = $v;", "index_of[$i] = $v;", "pointer[$q] = pointer[$q];",               \
		"pointer[$q] = &b4[$i];", "pointer[$q] = &mix[$b].w[$i];", "*pointer[$q] = $v;",  \
		"add_to(pointer[$q], $v);", "add_to(&b4[$i], $v);", "acc += descend($q, b1);",    \
		"atomic_store_explicit(&a$x, $v, $S);", "a$x = $v;", "a$x += $v;",                \
		"acc += atomic_exchange_explicit(&a$x, $v, $R);",                                 \
		"acc += atomic_fetch_add_explicit(&a$x, $v, $R);",                                \
		"atomic_fetch_sub_explicit(&a$x, $v, $R);",                                       \
		"atomic_fetch_and_explicit(&a$x, $v, $R);",                                       \
		"atomic_fetch_or_explicit(&a$x, $v, $R);",                                        \
		"acc += atomic_fetch_xor_explicit(&a$x, $v, $R);", "a16 += $v;",                  \
		"acc += (u8)(atomic_load_explicit(&a16, $O) >> 60);",                             \
		"atomic_store_explicit(&a16, ((unsigned __int128)$v << 64) + $v, $S);",           \
		"{\n\t\tunsigned __int128 e = a16;\n"                                             \
		"\t\tacc += atomic_compare_exchange_strong_explicit(&a16, &e, e * 3 + $n, $C) + " \
		"(u8)e;\n\t}",                                                                    \
		"atomic_thread_fence($F);", "__sync_fetch_and_add(&b4[$i], $v);",                 \
		"__sync_bool_compare_and_swap(&b8[$n], $v, $v);",                                 \
		"{\n\t\tu$x e = a$x;\n\t\tfor (int i = 0; i < 4; i++)\n"                          \
		"\t\t\tif (atomic_compare_exchange_weak_explicit(&a$x, &e, e + 1, "               \
		"$C))\n\t\t\t\tbreak;\n\t}",                                                      \
		"{\n\t\tu$x e = $v;\n\t\tacc += atomic_compare_exchange_strong_explicit(&a$x, "   \
		"&e, $v, $C) + e;\n\t}"

static const char *const plain[] = { PLAIN_STATEMENTS };

/* No statement here blocks or leaves anything held. */
static const char *const statements[] = {
	PLAIN_STATEMENTS,
	"for (int i = 0; i < 6 && !(atomic_load_explicit(&a$x, $O) & 1); i++)\n\t\tsched_yield();",
	"x$s = y$s;",
	"y$s = *h$s;",
	"*h$s = x$s;",
	"*p$s = y$s;",
	"p$s = &x$s;",
	"p$s = h$s;",
	"p$s->a[0] += $v;",
	"x$s.a[sizeof(x$s) / 8] = $v;",
	"h$s->a[0]++;",
	"{\n\t\tstruct s$s l = x$s;\n\t\tl.a[0] += $v;\n\t\ty$s = l;\n\t}",
	"{\n\t\tstruct s$s l = *h$s, k;\n\t\tk = l;\n\t\tacc += k.a[0];\n\t\t*p$s = k;\n\t}",
	"memcpy(&x$s, h$s, sizeof(x$s));",
	"memcpy(b8, mix[$b].d, $z);",
	"memcpy(mix[$b].b, b4, $z);",
	"memset(b2, $k, $n);",
	"memset(h$s, $v & 0xff, sizeof(*h$s));",
	"memmove(mix[$b].b + $n, mix[$b].b, $z);",
	"acc += memcmp(b4, mix[$b].w, $z) < 0;",
	"strcpy(text[0], \"warp and weft $k\");",
	"strcpy(text[1], text[0]);",
	"acc += strlen(text[$b]);",
	"memset(text[$b], 'a' + $n, $n + 1);",
	"text[$b][$i] = 'A' + $n;",
	"snprintf(text[$b], sizeof(text[$b]), \"%u.%u\", (unsigned)$v & 255, b4[$n]);",
	"printf(\"%llx\\n\", (unsigned long long)$v);",
	"printf(\"%s|\\n\", text[$b]);",
	"puts(\"line $k\");",
	"fprintf(stderr, \"%u\\n\", (unsigned)acc & 15);",
	"sched_yield();",
	"usleep($n);",
	"acc += now() & 0;",
	"{\n\t\tu8 before = now();\n\t\tb8[$n] ^= before & 1;\n\t\tif (now() <= before)\n"
	"\t\t\tputs(\"time stands still\");\n\t}",
	"acc += pthread_equal(pthread_self(), handles[$n]) != 0;",
	"acc += pthread_self() > handles[$n];",
	"acc += (u8)(uintptr_t)&acc;",
	"acc += pointer[$q] < pointer[$q];",
	"for (int i = 0; i < $q + 1; i++) {\n\t\tb4[i] += $v;\n\t\tacc += b4[(i + $n) & 7];\n\t}",
	"{\n\t\tu4 local[8];\n\t\tfor (int i = 0; i < 8; i++)\n\t\t\tlocal[i] = b4[i] + i;\n"
	"\t\tqsort(local, 8, sizeof(*local), by_value);\n\t\tacc += local[$n];\n\t}",
	"{\n\t\tu4 *block = calloc($n + 1, sizeof(*block));\n\t\tblock[0] = $v;\n\t\tacc += "
	"block[0];\n"
	"\t\tfree(block);\n\t}",
	"{\n\t\tu1 *block = malloc($z + 24);\n\t\tmemset(block, $n, $z);\n"
	"\t\tblock = realloc(block, $z + 26 + $b * 80);\n"
	"\t\tacc += block[0];\n\t\tfree(block);\n\t}",
	"node_put($q, node_new($z, $v));",
	"free(node_take($q));",
	"node_put($q, node_take($q));",
	"{\n\t\tstruct node *n = node_take($q);\n\t\tif (n) {\n\t\t\tn->sum += n->bytes[0];\n"
	"\t\t\tacc += n->sum;\n"
	"\t\t\tfree(n);\n\t\t}\n\t}",
	"{\n\t\tstruct node *n = node_new(16, $v);\n\t\tacc += n->sum;\n\t}",
	"{\n\t\tpthread_mutex_lock(&slot_lock);\n\t\tstruct node *n = slot[$q];\n\t\tif (n)\n"
	"\t\t\tn->bytes[0]++;\n"
	"\t\tpthread_mutex_unlock(&slot_lock);\n\t}",
	"{\n\t\tpthread_mutex_t own;\n\t\tpthread_mutex_init(&own, "
	"NULL);\n\t\tpthread_mutex_lock(&own);\n"
	"\t\tacc += $v;\n"
	"\t\tpthread_mutex_unlock(&own);\n\t\tpthread_mutex_destroy(&own);\n\t}",
	"{\n\t\tpthread_mutex_t *own = malloc(sizeof(*own));\n\t\tpthread_mutex_init(own, NULL);\n"
	"\t\tpthread_mutex_lock(own);\n"
	"\t\tpthread_mutex_unlock(own);\n\t\tpthread_mutex_destroy(own);\n\t\tfree(own);\n\t}",
	"sem_post(&tokens);",
	"acc += sem_trywait(&tokens) == 0;",
	"acc += sem_timedwait(&tokens, soon(CLOCK_REALTIME, $n)) == 0;",
	"{\n\t\tint left;\n\t\tsem_getvalue(&tokens, &left);\n\t\tacc += left;\n\t}",
	"{\n\t\tsem_t own;\n\t\tsem_init(&own, 0, $n);\n\t\tsem_post(&own);\n\t\tsem_wait(&own);\n"
	"\t\tacc += sem_trywait(&own) == 0;\n\t\tsem_destroy(&own);\n\t}",
	"{\n\t\tpthread_rwlock_t own;\n\t\tpthread_rwlock_init(&own, "
	"NULL);\n\t\tpthread_rwlock_rdlock(&own);\n"
	"\t\tacc += pthread_rwlock_tryrdlock(&own) == 0;\n\t\tacc += "
	"pthread_rwlock_trywrlock(&own) == EBUSY;\n"
	"\t\tpthread_rwlock_unlock(&own);\n\t\tpthread_rwlock_unlock(&own);\n"
	"\t\tpthread_rwlock_destroy(&own);\n\t}",
	"{\n\t\tpthread_barrier_t *own = malloc(sizeof(*own));\n\t\tpthread_barrier_init(own, "
	"NULL, 1);\n"
	"\t\tacc += pthread_barrier_wait(own) == PTHREAD_BARRIER_SERIAL_THREAD;\n"
	"\t\tpthread_barrier_destroy(own);\n\t\tfree(own);\n\t}",
	"{\n\t\tpthread_mutex_lock(&timed_lock);\n\t\tpthread_cond_timedwait(&never, &timed_lock, "
	"soon(CLOCK_REALTIME, $n));\n\t\tpthread_mutex_unlock(&timed_lock);\n\t}",
	"{\n\t\tpthread_mutex_lock(&timed_lock);\n\t\tpthread_cond_clockwait(&never, &timed_lock, "
	"CLOCK_MONOTONIC, "
	"soon(CLOCK_MONOTONIC, $n));\n\t\tpthread_mutex_unlock(&timed_lock);\n\t}",
	"pthread_cond_signal(&never);",
};

static const char *const load_orders[] = { "relaxed", "acquire", "seq_cst", "consume" };
static const char *const store_orders[] = { "relaxed", "release", "seq_cst" };
static const char *const rmw_orders[] = { "relaxed", "acquire", "release", "acq_rel", "seq_cst" };
static const char *const exchange_orders[] = {
	"memory_order_seq_cst, memory_order_seq_cst",
	"memory_order_acq_rel, memory_order_acquire",
	"memory_order_relaxed, memory_order_relaxed",
	"memory_order_release, memory_order_relaxed",
};

static void expand(const char *pattern, int depth);

static void expand_index(int depth)
{
	switch (below(4)) {
	case 0:
		printf("((acc + %u) & 7)", below(8));
		break;
	case 1:
		printf("(index_of[%u] & 7)", below(8));
		break;
	case 2:
		if (depth < 3) {
			printf("((");
			expand(PICK(values), depth + 1);
			printf(") & 7)");
			break;
		}
		/* fallthrough */
	default:
		printf("%u", below(8));
	}
}

/* Print a pattern with its holes filled; within one pattern $x and $s keep their value. */
static void expand(const char *pattern, int depth)
{
	unsigned atomic_size = 1u << below(4);
	unsigned struct_size = struct_sizes[below(chance(90) ? 5 : 6)];
	for (; *pattern; pattern++) {
		if (*pattern != '$') {
			putchar(*pattern);
			continue;
		}
		switch (*++pattern) {
		case 'n':
			printf("%u", below(8));
			break;
		case 'b':
			printf("%u", below(2));
			break;
		case 'q':
			printf("%u", below(4));
			break;
		case 'z':
			printf("%u", 1 + below(24));
			break;
		case 'k':
			printf("0x%x", (unsigned)random_next() & 0x7fffffff);
			break;
		case 'i':
			expand_index(depth);
			break;
		case 'v':
			putchar('(');
			expand(depth < 3 ? PICK(values) : "acc", depth + 1);
			putchar(')');
			break;
		case 'x':
			printf("%u", atomic_size);
			break;
		case 's':
			printf("%u", struct_size);
			break;
		case 'O':
			printf("memory_order_%s", PICK(load_orders));
			break;
		case 'S':
			printf("memory_order_%s", PICK(store_orders));
			break;
		case 'R':
		case 'F':
			printf("memory_order_%s", PICK(rmw_orders));
			break;
		case 'C':
			printf("%s", PICK(exchange_orders));
			break;
		/* one that has a handler */
		case 'H':
			printf("SIGUSR%u", 1 + below(2));
			break;
		}
	}
}

#endif
