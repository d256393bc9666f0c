/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_program SEED [deadlock]: prints a random multi-threaded C program, the same one for the same seed.
 *
 * The programs race on purpose, but are well defined otherwise and end under every schedule:
 *  - every index is masked, every pointer points to one of a few objects that live as long as its users;
 *  - a heap block has one owner, and changes hands through slots under a lock;
 *  - every loop is bounded;
 *  - locks (mutexes, then rwlocks, then spin locks) are taken in ascending order, and nothing blocks while one
 *    is held, except what does not wait for ever: tries and timed forms;
 *  - a thread first creates its children, then plays its part in the queue, then meets others at barriers, then
 *    sets and awaits flags (variables with a condition, or semaphores), both in ascending order of their number,
 *    then joins.  By induction over that order every arrival and every set is reached, so every wait ends.
 * With `deadlock` locks are taken in any order, so that a run may end in a deadlock (and in nothing worse).
 *
 * What threads do is a table of statements with holes; a hole is a dollar sign and a letter (see expand).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 6
#define FLAGS_MAX 6
#define MUTEXES 6
#define RWLOCKS 3
#define SPINS 2
#define LOCKS (MUTEXES + RWLOCKS + SPINS)
#define BARRIERS_MAX 2
#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

static uint64_t random_state;
static bool may_deadlock;

static uint64_t random_next(void)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static unsigned below(unsigned n)
{
	return (unsigned)(random_next() % n);
}

static bool chance(unsigned percent)
{
	return below(100) < percent;
}

#define PICK(array) (array)[below(COUNT(array))]

/* ---- the part that all programs share ---- */

static const char prelude[] =
	"#define _GNU_SOURCE\n"
	"#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n"
		"#include <stdatomic.h>\n"
		"#include <stdint.h>\n"
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
		"#include <unistd.h>\n\n"
	"typedef uint8_t u1;\ntypedef uint16_t u2;\ntypedef uint32_t u4;\ntypedef uint64_t u8;\n"
	"static u1 b1[8];\nstatic u2 b2[8];\nstatic u4 b4[8] = { 1, 2, 3 };\nstatic u8 b8[8];\n"
	"static union { u1 b[32]; u2 h[16]; u4 w[8]; u8 d[4]; } mix[2];\n"
	"static struct { unsigned a : 3, b : 7, c : 12; u8 d : 40, e : 24; } bits;\n"
	"static struct __attribute__((packed)) { u1 c; u4 w; u8 d; } packed;\n"
	"static _Atomic u1 a1;\nstatic _Atomic u2 a2;\nstatic _Atomic u4 a4;\nstatic _Atomic u8 a8;\n"
	"static _Atomic unsigned __int128 a16;\n"
	"static volatile u4 vol;\nstatic __thread u4 tls_word = 7;\nstatic __thread u8 tls_array[2];\n"
	"static u4 index_of[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };\n"
	"static u4 *pointer[4] = { &b4[0], &b4[5], &mix[0].w[1], &mix[1].w[6] };\n"
	"static char text[2][64];\n"
	"static pthread_t handles[8];\n"
	"struct box { u4 w; u8 d; };\nstatic struct box global_box;\n\n"
	"struct node { u4 size; u4 sum; u1 bytes[]; };\n"
	"static struct node *slot[4];\nstatic pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;\n\n"
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
	"\tu4 x = *(const u4 *)a, y = *(const u4 *)b;\n\tb2[0]++;\n\treturn x < y ? -1 : x > y;\n}\n\n"
	"static u8 now(void)\n{\n\tstruct timespec t;\n\tclock_gettime(CLOCK_MONOTONIC, &t);\n"
	"\treturn (u8)t.tv_sec * 1000000000u + (u8)t.tv_nsec;\n}\n\n"
	"static __thread struct timespec deadline;\n\n"
	"static struct timespec *soon(clockid_t clock, unsigned us)\n{\n\tclock_gettime(clock, &deadline);\n"
	"\tdeadline.tv_nsec += us * 1000;\n\tif (deadline.tv_nsec >= 1000000000) {\n"
	"\t\tdeadline.tv_nsec -= 1000000000;\n\t\tdeadline.tv_sec++;\n\t}\n\treturn &deadline;\n}\n\n"
	"static sem_t tokens;\nstatic pthread_mutex_t timed_lock = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_cond_t never = PTHREAD_COND_INITIALIZER;\n\n";

static const unsigned struct_sizes[] = { 4, 8, 16, 24, 40, 4096 };

/* ---- statements ---- */

static const char *const values[] = {
	"$k", "acc", "acc >> $n", "b1[$i]", "b2[$i]", "b4[$i]", "b8[$i]", "mix[$b].b[$i]",
	"mix[$b].h[$i]", "mix[$b].w[$i]",
	"mix[$b].d[$q]", "bits.a", "bits.c", "bits.d", "packed.w", "packed.d", "vol", "tls_word",
	"tls_array[$b]", "*pointer[$q]",
	"atomic_load_explicit(&a$x, $O)", "a$x", "box->w", "box->d", "x$s.a[0]", "h$s->a[0]", "p$s->a[0]",
	"text[$b][$i]",
};

/* No statement here blocks or leaves anything held. */
static const char *const statements[] = {
	"b1[$i] = $v;", "b2[$i] = $v;", "b4[$i] = $v;", "b8[$i] = $v;",
	"b1[$i]++;", "b2[$i] -= $v;", "b4[$i] ^= $v;", "b8[$i] += $v;",
	"mix[$b].b[$i + $n] = $v;", "mix[$b].h[$i] = $v;", "mix[$b].w[$i] += $v;", "mix[$b].d[$q] = $v;",
	"bits.a = $v;", "bits.b++;", "bits.c ^= $v;", "bits.d = $v;", "bits.e += $v;",
	"packed.w = $v;", "packed.d += $v;", "packed.c--;",
	"acc += $v;", "acc ^= $v * 31;", "acc = acc * 5 + $v;", "if ($v & 1)\n\t\tacc += $v;",
	"vol = $v;", "vol++;", "tls_word += $v;", "tls_array[$b] = $v;", "box->w += $v;", "box->d = $v;",
	"index_of[$i] = $v;", "pointer[$q] = pointer[$q];", "pointer[$q] = &b4[$i];",
	"pointer[$q] = &mix[$b].w[$i];",
	"*pointer[$q] = $v;", "add_to(pointer[$q], $v);", "add_to(&b4[$i], $v);", "acc += descend($q, b1);",
	"atomic_store_explicit(&a$x, $v, $S);", "a$x = $v;", "a$x += $v;",
	"acc += atomic_exchange_explicit(&a$x, $v, $R);", "acc += atomic_fetch_add_explicit(&a$x, $v, $R);",
	"atomic_fetch_sub_explicit(&a$x, $v, $R);", "atomic_fetch_and_explicit(&a$x, $v, $R);",
	"atomic_fetch_or_explicit(&a$x, $v, $R);", "acc += atomic_fetch_xor_explicit(&a$x, $v, $R);",
	"a16 += $v;", "acc += (u8)(atomic_load_explicit(&a16, $O) >> 60);",
	"atomic_store_explicit(&a16, ((unsigned __int128)$v << 64) + $v, $S);",
	"{\n\t\tunsigned __int128 e = a16;\n"
		"\t\tacc += atomic_compare_exchange_strong_explicit(&a16, &e, e * 3 + $n, $C) + (u8)e;\n\t}",
	"atomic_thread_fence($F);", "__sync_fetch_and_add(&b4[$i], $v);",
	"__sync_bool_compare_and_swap(&b8[$n], $v, $v);",
	"{\n\t\tu$x e = a$x;\n\t\tfor (int i = 0; i < 4; i++)\n"
		"\t\t\tif (atomic_compare_exchange_weak_explicit(&a$x, &e, e + 1, $C))\n\t\t\t\tbreak;\n\t}",
	"{\n\t\tu$x e = $v;\n\t\tacc += atomic_compare_exchange_strong_explicit(&a$x, &e, $v, $C) + e;\n\t}",
	"for (int i = 0; i < 6 && !(atomic_load_explicit(&a$x, $O) & 1); i++)\n\t\tsched_yield();",
	"x$s = y$s;", "y$s = *h$s;", "*h$s = x$s;", "*p$s = y$s;", "p$s = &x$s;", "p$s = h$s;",
	"p$s->a[0] += $v;",
	"x$s.a[sizeof(x$s) / 8] = $v;", "h$s->a[0]++;",
	"{\n\t\tstruct s$s l = x$s;\n\t\tl.a[0] += $v;\n\t\ty$s = l;\n\t}",
	"{\n\t\tstruct s$s l = *h$s, k;\n\t\tk = l;\n\t\tacc += k.a[0];\n\t\t*p$s = k;\n\t}",
	"memcpy(&x$s, h$s, sizeof(x$s));", "memcpy(b8, mix[$b].d, $z);", "memcpy(mix[$b].b, b4, $z);",
	"memset(b2, $k, $n);",
	"memset(h$s, $v & 0xff, sizeof(*h$s));", "memmove(mix[$b].b + $n, mix[$b].b, $z);",
	"acc += memcmp(b4, mix[$b].w, $z) < 0;",
	"strcpy(text[0], \"warp and weft $k\");", "strcpy(text[1], text[0]);", "acc += strlen(text[$b]);",
	"memset(text[$b], 'a' + $n, $n + 1);", "text[$b][$i] = 'A' + $n;",
	"snprintf(text[$b], sizeof(text[$b]), \"%u.%u\", (unsigned)$v & 255, b4[$n]);",
	"printf(\"%llx\\n\", (unsigned long long)$v);", "printf(\"%s|\\n\", text[$b]);", "puts(\"line $k\");",
	"fprintf(stderr, \"%u\\n\", (unsigned)acc & 15);",
	"sched_yield();", "usleep($n);", "acc += now() & 0;",
	"{\n\t\tu8 before = now();\n\t\tb8[$n] ^= before & 1;\n\t\tif (now() <= before)\n"
		"\t\t\tputs(\"time stands still\");\n\t}",
	"acc += pthread_equal(pthread_self(), handles[$n]) != 0;", "acc += pthread_self() > handles[$n];",
	"acc += (u8)(uintptr_t)&acc;", "acc += pointer[$q] < pointer[$q];",
	"for (int i = 0; i < $q + 1; i++) {\n\t\tb4[i] += $v;\n\t\tacc += b4[(i + $n) & 7];\n\t}",
	"{\n\t\tu4 local[8];\n\t\tfor (int i = 0; i < 8; i++)\n\t\t\tlocal[i] = b4[i] + i;\n"
		"\t\tqsort(local, 8, sizeof(*local), by_value);\n\t\tacc += local[$n];\n\t}",
	"{\n\t\tu4 *block = calloc($n + 1, sizeof(*block));\n\t\tblock[0] = $v;\n\t\tacc += block[0];\n"
		"\t\tfree(block);\n\t}",
	"{\n\t\tu1 *block = malloc($z + 24);\n\t\tmemset(block, $n, $z);\n"
		"\t\tblock = realloc(block, $z + 26 + $b * 80);\n"
		"\t\tacc += block[0];\n\t\tfree(block);\n\t}",
	"node_put($q, node_new($z, $v));", "free(node_take($q));", "node_put($q, node_take($q));",
	"{\n\t\tstruct node *n = node_take($q);\n\t\tif (n) {\n\t\t\tn->sum += n->bytes[0];\n"
		"\t\t\tacc += n->sum;\n"
		"\t\t\tfree(n);\n\t\t}\n\t}",
	"{\n\t\tstruct node *n = node_new(16, $v);\n\t\tacc += n->sum;\n\t}",
	"{\n\t\tpthread_mutex_lock(&slot_lock);\n\t\tstruct node *n = slot[$q];\n\t\tif (n)\n"
		"\t\t\tn->bytes[0]++;\n"
		"\t\tpthread_mutex_unlock(&slot_lock);\n\t}",
	"{\n\t\tpthread_mutex_t own;\n\t\tpthread_mutex_init(&own, NULL);\n\t\tpthread_mutex_lock(&own);\n"
		"\t\tacc += $v;\n"
		"\t\tpthread_mutex_unlock(&own);\n\t\tpthread_mutex_destroy(&own);\n\t}",
	"{\n\t\tpthread_mutex_t *own = malloc(sizeof(*own));\n\t\tpthread_mutex_init(own, NULL);\n"
		"\t\tpthread_mutex_lock(own);\n"
		"\t\tpthread_mutex_unlock(own);\n\t\tpthread_mutex_destroy(own);\n\t\tfree(own);\n\t}",
	"sem_post(&tokens);", "acc += sem_trywait(&tokens) == 0;",
	"acc += sem_timedwait(&tokens, soon(CLOCK_REALTIME, $n)) == 0;",
	"{\n\t\tint left;\n\t\tsem_getvalue(&tokens, &left);\n\t\tacc += left;\n\t}",
	"{\n\t\tsem_t own;\n\t\tsem_init(&own, 0, $n);\n\t\tsem_post(&own);\n\t\tsem_wait(&own);\n"
		"\t\tacc += sem_trywait(&own) == 0;\n\t\tsem_destroy(&own);\n\t}",
	"{\n\t\tpthread_rwlock_t own;\n\t\tpthread_rwlock_init(&own, NULL);\n\t\tpthread_rwlock_rdlock(&own);\n"
		"\t\tacc += pthread_rwlock_tryrdlock(&own) == 0;\n\t\tacc += pthread_rwlock_trywrlock(&own) == EBUSY;\n"
		"\t\tpthread_rwlock_unlock(&own);\n\t\tpthread_rwlock_unlock(&own);\n"
		"\t\tpthread_rwlock_destroy(&own);\n\t}",
	"{\n\t\tpthread_barrier_t *own = malloc(sizeof(*own));\n\t\tpthread_barrier_init(own, NULL, 1);\n"
		"\t\tacc += pthread_barrier_wait(own) == PTHREAD_BARRIER_SERIAL_THREAD;\n"
		"\t\tpthread_barrier_destroy(own);\n\t\tfree(own);\n\t}",
	"{\n\t\tpthread_mutex_lock(&timed_lock);\n\t\tpthread_cond_timedwait(&never, &timed_lock, "
		"soon(CLOCK_REALTIME, $n));\n\t\tpthread_mutex_unlock(&timed_lock);\n\t}",
	"{\n\t\tpthread_mutex_lock(&timed_lock);\n\t\tpthread_cond_clockwait(&never, &timed_lock, CLOCK_MONOTONIC, "
		"soon(CLOCK_MONOTONIC, $n));\n\t\tpthread_mutex_unlock(&timed_lock);\n\t}",
	"pthread_cond_signal(&never);",
};

static const char *const load_orders[] = { "relaxed", "acquire", "seq_cst", "consume" };
static const char *const store_orders[] = { "relaxed", "release", "seq_cst" };
static const char *const rmw_orders[] = { "relaxed", "acquire", "release", "acq_rel", "seq_cst" };
static const char *const exchange_orders[] = {
	"memory_order_seq_cst, memory_order_seq_cst", "memory_order_acq_rel, memory_order_acquire",
	"memory_order_relaxed, memory_order_relaxed", "memory_order_release, memory_order_relaxed",
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
		case 'n': printf("%u", below(8)); break;
		case 'b': printf("%u", below(2)); break;
		case 'q': printf("%u", below(4)); break;
		case 'z': printf("%u", 1 + below(24)); break;
		case 'k': printf("0x%x", (unsigned)random_next() & 0x7fffffff); break;
		case 'i': expand_index(depth); break;
		case 'v':
			putchar('(');
			expand(depth < 3 ? PICK(values) : "acc", depth + 1);
			putchar(')');
			break;
		case 'x': printf("%u", atomic_size); break;
		case 's': printf("%u", struct_size); break;
		case 'O': printf("memory_order_%s", PICK(load_orders)); break;
		case 'S': printf("memory_order_%s", PICK(store_orders)); break;
		case 'R':
		case 'F': printf("memory_order_%s", PICK(rmw_orders)); break;
		case 'C': printf("%s", PICK(exchange_orders)); break;
		}
	}
}

/* ---- locks ---- */

enum lock_type { LOCK_STATIC, LOCK_ZERO, LOCK_NORMAL, LOCK_RECURSIVE, LOCK_STATIC_RECURSIVE,
	LOCK_ERRORCHECK, LOCK_ADAPTIVE };
static enum lock_type lock_types[MUTEXES];

/* Of rwlocks: the last one admits no reader while a writer waits, so nobody may read it recursively. */
static const char *const rwlock_kinds[] = { "PREFER_READER_NP", "PREFER_WRITER_NP", "PREFER_WRITER_NONRECURSIVE_NP" };
static unsigned rwlock_kind[RWLOCKS];

static bool is_recursive(unsigned lock)
{
	return lock < MUTEXES && (lock_types[lock] == LOCK_RECURSIVE || lock_types[lock] == LOCK_STATIC_RECURSIVE);
}

static void emit_statements(unsigned n, unsigned first_lock, int nesting);

/* A lock that is taken in one of the ways that may fail, and what is done if it was. */
static void emit_attempt(unsigned lock, unsigned next, int nesting)
{
	bool timed = chance(50), reads = chance(50);
	if (lock < MUTEXES && timed)
		printf("\tif (!pthread_mutex_timedlock(&lock[%u], soon(CLOCK_REALTIME, %u))) {\n", lock, below(9));
	else if (lock < MUTEXES)
		printf("\tif (!pthread_mutex_trylock(&lock[%u])) {\n", lock);
	else if (lock < MUTEXES + RWLOCKS && timed)
		printf("\tif (!pthread_rwlock_clock%slock(&rwlock[%u], CLOCK_MONOTONIC, soon(CLOCK_MONOTONIC, %u))) {\n",
		       reads ? "rd" : "wr", lock - MUTEXES, below(9));
	else if (lock < MUTEXES + RWLOCKS)
		printf("\tif (!pthread_rwlock_try%slock(&rwlock[%u])) {\n", reads ? "rd" : "wr", lock - MUTEXES);
	else
		printf("\tif (!pthread_spin_trylock(&spin[%u])) {\n", lock - MUTEXES - RWLOCKS);
	emit_statements(1 + below(3), next, nesting + 1);
	if (lock < MUTEXES)
		printf("\tpthread_mutex_unlock(&lock[%u]);\n\t}\n", lock);
	else if (lock < MUTEXES + RWLOCKS)
		printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n\t}\n", lock - MUTEXES);
	else
		printf("\tpthread_spin_unlock(&spin[%u]);\n\t}\n", lock - MUTEXES - RWLOCKS);
}

static void emit_mutex(unsigned lock, unsigned next, int nesting)
{
	bool again = is_recursive(lock) && chance(50);
	printf("\tpthread_mutex_lock(&lock[%u]);\n", lock);
	if (lock_types[lock] == LOCK_ERRORCHECK && chance(50))
		printf("\tacc += pthread_mutex_lock(&lock[%u]) == EDEADLK;\n", lock);
	if (again)
		printf("\tpthread_mutex_lock(&lock[%u]);\n", lock);
	emit_statements(1 + below(3), next, nesting + 1);
	if (again)
		printf("\tacc += pthread_mutex_trylock(&lock[%u]) == 0;\n\tpthread_mutex_unlock(&lock[%u]);\n"
		       "\tpthread_mutex_unlock(&lock[%u]);\n", lock, lock, lock);
	printf("\tpthread_mutex_unlock(&lock[%u]);\n", lock);
}

/* A writer that asks again is told so, which happens only where locks are taken in any order. */
static void emit_rwlock(unsigned lock, unsigned next, int nesting)
{
	bool reads = chance(60), again = reads && rwlock_kind[lock] != COUNT(rwlock_kinds) - 1 && chance(40);
	printf("\tif (!pthread_rwlock_%slock(&rwlock[%u])) {\n", reads ? "rd" : "wr", lock);
	if (again)
		printf("\tpthread_rwlock_rdlock(&rwlock[%u]);\n", lock);
	if (!reads && chance(50))
		printf("\tacc += pthread_rwlock_%slock(&rwlock[%u]) == EDEADLK;\n", chance(50) ? "rd" : "wr", lock);
	emit_statements(1 + below(3), next, nesting + 1);
	if (again)
		printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n", lock);
	printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n\t}\n", lock);
}

static void emit_locked(unsigned first_lock, int nesting)
{
	bool attempts = chance(25);
	unsigned lock = may_deadlock || attempts ? below(LOCKS) : first_lock + below(LOCKS - first_lock);
	unsigned next = lock + 1 > first_lock ? lock + 1 : first_lock;
	if (attempts) {
		emit_attempt(lock, next, nesting);
	} else if (lock < MUTEXES) {
		emit_mutex(lock, next, nesting);
	} else if (lock < MUTEXES + RWLOCKS) {
		emit_rwlock(lock - MUTEXES, next, nesting);
	} else {
		unsigned spin = lock - MUTEXES - RWLOCKS;
		printf("\tpthread_spin_lock(&spin[%u]);\n", spin);
		emit_statements(1 + below(3), next, nesting + 1);
		printf("\tpthread_spin_unlock(&spin[%u]);\n", spin);
	}
}

static void emit_statements(unsigned n, unsigned first_lock, int nesting)
{
	while (n--) {
		if (nesting < 3 && first_lock < LOCKS && chance(25)) {
			emit_locked(first_lock, nesting);
			continue;
		}
		putchar('\t');
		expand(PICK(statements), 0);
		putchar('\n');
	}
}

static void emit_lock_table(void)
{
	static const char *const initialisers[] = {
		[LOCK_STATIC] = "PTHREAD_MUTEX_INITIALIZER", [LOCK_ZERO] = NULL, [LOCK_NORMAL] = NULL,
		[LOCK_RECURSIVE] = NULL,
		[LOCK_STATIC_RECURSIVE] = "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", [LOCK_ERRORCHECK] = NULL,
		[LOCK_ADAPTIVE] = "PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP",
	};
	printf("static pthread_mutex_t lock[%d] = {\n", MUTEXES);
	for (unsigned i = 0; i < MUTEXES; i++) {
		lock_types[i] = below(LOCK_ADAPTIVE + 1);
		if (initialisers[lock_types[i]])
			printf("\t[%u] = %s,\n", i, initialisers[lock_types[i]]);
	}
	printf("};\nstatic pthread_rwlock_t rwlock[%d];\nstatic pthread_spinlock_t spin[%d];\n\n", RWLOCKS, SPINS);
	for (unsigned i = 0; i < RWLOCKS; i++)
		rwlock_kind[i] = below(COUNT(rwlock_kinds));
}

static void emit_lock_setup(void)
{
	static const char *const kinds[] = {
		[LOCK_NORMAL] = "NORMAL", [LOCK_RECURSIVE] = "RECURSIVE",
		[LOCK_ERRORCHECK] = "ERRORCHECK", [LOCK_ADAPTIVE] = NULL,
	};
	for (unsigned i = 0; i < MUTEXES; i++)
		if (kinds[lock_types[i]])
			printf("\tpthread_mutexattr_settype(&type, PTHREAD_MUTEX_%s);\n"
			"\tpthread_mutex_init(&lock[%u], &type);\n",
			       kinds[lock_types[i]], i);
	for (unsigned i = 0; i < RWLOCKS; i++)
		printf("\tpthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_%s);\n"
		       "\tpthread_rwlock_init(&rwlock[%u], &kind);\n", rwlock_kinds[rwlock_kind[i]], i);
	for (unsigned i = 0; i < SPINS; i++)
		printf("\tpthread_spin_init(&spin[%u], PTHREAD_PROCESS_PRIVATE);\n", i);
}

/* ---- threads ---- */

enum fate { FATE_JOINED, FATE_DETACHED_BY_PARENT, FATE_DETACHED_BY_SELF, FATE_DETACHED_BY_ATTRIBUTE };

static struct thread_plan {
	unsigned parent;
	enum fate fate;
	bool has_stack_box;	/* its argument is a variable on its parent's stack */
} threads[THREADS_MAX];
static unsigned thread_count;

static struct flag_plan {
	unsigned setter;
	unsigned waiters;	/* bit set */
	bool is_semaphore;
} flags[FLAGS_MAX];
static unsigned flag_count;

static unsigned barriers[BARRIERS_MAX];	/* bit sets of threads */
static unsigned barrier_count;

static unsigned producer, consumer, queue_items;	/* 0 items: no queue */
static bool main_joins;

static void make_plan(void)
{
	thread_count = 2 + below(THREADS_MAX - 1);
	main_joins = chance(70);
	for (unsigned t = 1; t < thread_count; t++) {
		threads[t].parent = chance(60) ? 0 : below(t);
		bool may_join = threads[t].parent || main_joins;
		threads[t].fate = may_join && chance(80) ? FATE_JOINED : 1 + below(3);
		threads[t].has_stack_box = threads[t].fate == FATE_JOINED && chance(50);
	}
	flag_count = below(FLAGS_MAX + 1);
	for (unsigned f = 0; f < flag_count; f++) {
		flags[f].setter = below(thread_count);
		flags[f].waiters = below(1u << thread_count) & ~(1u << flags[f].setter);
		flags[f].is_semaphore = chance(40);
	}
	barrier_count = chance(50) ? 1 + below(BARRIERS_MAX) : 0;
	for (unsigned b = 0; b < barrier_count; b++)
		barriers[b] = 1 + below((1u << thread_count) - 1);
	producer = below(thread_count);
	consumer = (producer + 1 + below(thread_count - 1)) % thread_count;
	queue_items = chance(40) ? 1 + below(5) : 0;
}

static void emit_shared_state(void)
{
	for (unsigned i = 0; i < COUNT(struct_sizes); i++) {
		unsigned s = struct_sizes[i];
		printf("struct s%u { u4 a[%u]; };\nstatic struct s%u x%u, y%u, *h%u, *p%u = &x%u;\n", s,
		s / 4, s, s, s, s, s, s);
	}
	printf("\nstatic pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int flag[%d];\n"
	       "static pthread_cond_t flag_set[%d];\nstatic sem_t flag_tokens[%d];\n"
	       "static pthread_barrier_t barrier[%d];\n", FLAGS_MAX, FLAGS_MAX, FLAGS_MAX, BARRIERS_MAX);
	printf("static pthread_mutex_t queue_lock;\n"
		"static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, "
	       "not_empty = PTHREAD_COND_INITIALIZER;\nstatic u8 queue[2];\n"
		"static unsigned queue_length;\n\n");
}

static void emit_queue(unsigned t)
{
	if (!queue_items || (t != producer && t != consumer))
		return;
	bool produces = t == producer;
	printf("\tfor (int i = 0; i < %u; i++) {\n\t\tpthread_mutex_lock(&queue_lock);\n", queue_items);
	printf("\t\twhile (queue_length == %u)\n\t\t\tpthread_cond_wait(&not_%s, &queue_lock);\n",
		produces ? 1 + below(2) : 0,
	       produces ? "full" : "empty");
	printf("%s", produces ? "\t\tqueue[queue_length++ & 1] = acc + i;\n"
			      : "\t\tacc += queue[--queue_length & 1];\n");
	printf("\t\tpthread_cond_signal(&not_%s);\n\t\tpthread_mutex_unlock(&queue_lock);\n\t}\n",
		produces ? "empty" : "full");
}

static void emit_barriers(unsigned t)
{
	for (unsigned b = 0; b < barrier_count; b++) {
		if (!(barriers[b] >> t & 1))
			continue;
		for (unsigned rounds = 1 + b % 2; rounds; rounds--)
			printf("\tacc += pthread_barrier_wait(&barrier[%u]) == PTHREAD_BARRIER_SERIAL_THREAD;\n", b);
	}
}

static void emit_set(unsigned f)
{
	unsigned waiters = flags[f].waiters;
	if (flags[f].is_semaphore) {
		for (; waiters; waiters &= waiters - 1)
			printf("\tsem_post(&flag_tokens[%u]);\n", f);
		return;
	}
	/* One signal is enough only if one thread waits. */
	bool one = !(waiters & (waiters - 1));
	printf("\tpthread_mutex_lock(&flag_lock);\n\tflag[%u] = 1;\n\tpthread_cond_%s(&flag_set[%u]);\n"
	       "\tpthread_mutex_unlock(&flag_lock);\n", f, one && chance(60) ? "signal" : "broadcast", f);
}

static void emit_await(unsigned f)
{
	bool timed = chance(30);
	if (flags[f].is_semaphore && timed)
		printf("\twhile (sem_timedwait(&flag_tokens[%u], soon(CLOCK_REALTIME, %u)))\n\t\tacc++;\n", f, below(50));
	else if (flags[f].is_semaphore)
		printf("\tsem_wait(&flag_tokens[%u]);\n", f);
	else if (timed)
		printf("\tpthread_mutex_lock(&flag_lock);\n\twhile (!flag[%u])\n"
		       "\t\tacc += pthread_cond_timedwait(&flag_set[%u], &flag_lock, soon(CLOCK_REALTIME, %u)) == ETIMEDOUT;\n"
		       "\tpthread_mutex_unlock(&flag_lock);\n", f, f, below(50));
	else
		printf("\tpthread_mutex_lock(&flag_lock);\n\twhile (!flag[%u])\n"
		       "\t\tpthread_cond_wait(&flag_set[%u], &flag_lock);\n\tpthread_mutex_unlock(&flag_lock);\n", f, f);
}

static void emit_flags(unsigned t)
{
	for (unsigned f = 0; f < flag_count; f++) {
		if (flags[f].setter == t)
			emit_set(f);
		else if (flags[f].waiters >> t & 1)
			emit_await(f);
		if (chance(30))
			emit_statements(1, 0, 0);
	}
}

static void emit_children(unsigned parent)
{
	for (unsigned t = 1; t < thread_count; t++) {
		if (threads[t].parent != parent)
			continue;
		bool by_attribute = threads[t].fate == FATE_DETACHED_BY_ATTRIBUTE;
		if (by_attribute)
			printf("\tpthread_attr_t attr%u;\n\tpthread_attr_init(&attr%u);\n"
			       "\tpthread_attr_setdetachstate(&attr%u, PTHREAD_CREATE_DETACHED);\n", t, t, t);
		if (threads[t].has_stack_box)
			printf("\tstruct box box%u = { %u, acc };\n\tbox = &box%u;\n", t, t, t);
		printf("\tpthread_create(&handles[%u], ", t);
		printf(by_attribute ? "&attr%u" : "NULL", t);
		printf(", thread%u, ", t);
		printf(threads[t].has_stack_box ? "&box%u);\n" : "&global_box);\n", t);
		if (by_attribute)
			printf("\tpthread_attr_destroy(&attr%u);\n", t);
		if (threads[t].fate == FATE_DETACHED_BY_PARENT)
			printf("\tpthread_detach(handles[%u]);\n", t);
		emit_statements(below(3), 0, 0);
	}
}

static void emit_joins(unsigned parent)
{
	for (unsigned t = 1; t < thread_count; t++) {
		if (threads[t].parent != parent || threads[t].fate != FATE_JOINED)
			continue;
		printf("\t{\n\t\tvoid *result;\n\t\tpthread_join(handles[%u], &result);\n"
		"\t\tacc += (u8)(uintptr_t)result;\n\t}\n", t);
		emit_statements(below(2), 0, 0);
	}
}

static void emit_body(unsigned t)
{
	emit_statements(1 + below(3), 0, 0);
	emit_children(t);
	emit_queue(t);
	emit_barriers(t);
	emit_statements(1 + below(6), 0, 0);
	emit_flags(t);
	emit_statements(below(3), 0, 0);
	emit_joins(t);
	if (chance(60))
		printf("\tprintf(\"T%u %%llx\\n\", (unsigned long long)acc);\n", t);
}

static void emit_thread(unsigned t)
{
	printf("static void *thread%u(void *argument)\n{\n\tu8 acc = %u;\n"
		"\tstruct box *box = argument;\n", t, t);
	if (threads[t].fate == FATE_DETACHED_BY_SELF)
		printf("\tpthread_detach(pthread_self());\n");
	emit_body(t);
	if (chance(30))
		printf("\tpthread_exit((void *)(uintptr_t)(acc & 0xff));\n}\n\n");
	else
		printf("\treturn (void *)(uintptr_t)(acc & 0xff);\n}\n\n");
}

static void emit_main(void)
{
	printf("int main(void)\n{\n\tu8 acc = 0;\n\tstruct box *box = &global_box;\n"
		"\tpthread_mutexattr_t type;\n\tpthread_rwlockattr_t kind;\n"
	       "\tpthread_mutexattr_init(&type);\n\tpthread_rwlockattr_init(&kind);\n\tsem_init(&tokens, 0, %u);\n",
	       below(3));
	emit_lock_setup();
	for (unsigned f = 0; f < flag_count; f++)
		if (flags[f].is_semaphore)
			printf("\tsem_init(&flag_tokens[%u], 0, 0);\n", f);
	for (unsigned b = 0; b < barrier_count; b++)
		printf("\tpthread_barrier_init(&barrier[%u], NULL, %d);\n", b, __builtin_popcount(barriers[b]));
	for (unsigned i = 0; i < COUNT(struct_sizes); i++)
		printf("\th%u = calloc(1, sizeof(*h%u));\n", struct_sizes[i], struct_sizes[i]);
	emit_body(0);
	switch (below(5)) {
	case 0: printf("\tpthread_exit(NULL);\n}\n"); break;
	case 1: printf("\texit(%u);\n}\n", below(100)); break;
	case 2: printf("\tfflush(stdout);\n\t_exit(%u);\n}\n", below(100)); break;
	default: printf("\treturn %u;\n}\n", below(100)); break;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "deadlock"))) {
		fprintf(stderr, "usage: gen_program SEED [deadlock]\n");
		return 2;
	}
	random_state = strtoull(argv[1], NULL, 0) * 2;
	may_deadlock = argc == 3;
	make_plan();
	printf("/* gen_program %s%s */\n%s", argv[1], may_deadlock ? " deadlock" : "", prelude);
	emit_shared_state();
	emit_lock_table();
	for (unsigned t = thread_count - 1; t; t--)
		emit_thread(t);
	emit_main();
	return ferror(stdout) || fflush(stdout);
}
