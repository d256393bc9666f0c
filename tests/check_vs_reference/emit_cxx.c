/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as C++: std::thread, std::mutex, std::recursive_mutex, std::condition_variable,
 * std::call_once, std::atomic_ref, std::promise and std::shared_future.
 *
 * Used is what does the same as the instruction.  What has no exact counterpart stays a call of
 * pthreads on the object below (native_handle): deadlines (std::condition_variable::wait_until
 * looks at the clock and not at the reason for the wake-up), error numbers that C++ throws,
 * semaphores and barriers, which libstdc++ makes of atomics, and calloc(): the zeroes of a new
 * array are stores, which may be buffered. An exchange stays the compiler's function, volatile,
 * as in C.  Without optimisation all atomics are: std::atomic_ref is an object on the stack then,
 * which a loop that spins would make in each round.
 *
 * Nothing here is destroyed when the process ends: a promise without a value would be broken, and
 * a thread that was not joined would terminate the process.
 */
#include "emit_cxx.h"

#include <inttypes.h>

const char emit_cxx_prelude[] =
	"#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n"
	"#include <semaphore.h>\n"
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
	"#include <unistd.h>\n"
	"#include <atomic>\n#include <chrono>\n#include <condition_variable>\n#include "
	"<future>\n#include <mutex>\n"
	"#include <thread>\n\n"
	"typedef unsigned char u1;\ntypedef unsigned short u2;\n"
	"typedef unsigned int u4;\ntypedef unsigned long u8;\n"
	"#define ORDER(o) (int)std::memory_order_##o\n"
	"#ifdef __OPTIMIZE__\n#define PLAIN volatile\n"
	"#define REF(T, a) std::atomic_ref<T>(*(T *)(a))\n"
	"#define LOAD(T, a, o) REF(T, a).load(std::memory_order_##o)\n"
	"#define STORE(T, a, v, o) REF(T, a).store(v, std::memory_order_##o)\n"
	"#define ADD(T, a, v, o) REF(T, a).fetch_add(v, std::memory_order_##o)\n"
	"#define CAS(T, a, e, v, o, f) \\\n"
	"\tREF(T, a).compare_exchange_strong(e, v, std::memory_order_##o, std::memory_order_##f)\n"
	"#else\n#define PLAIN\n"
	"#define LOAD(T, a, o) __atomic_load_n((T *)(a), ORDER(o))\n"
	"#define STORE(T, a, v, o) __atomic_store_n((T *)(a), (T)(v), ORDER(o))\n"
	"#define ADD(T, a, v, o) __atomic_fetch_add((T *)(a), v, ORDER(o))\n"
	"#define CAS(T, a, e, v, o, f) __atomic_compare_exchange_n((T *)(a), &(e), (T)(v), 0, "
	"ORDER(o), ORDER(f))\n"
	"#endif\n\n"
	"static union { u1 b[32]; u8 words[4]; } g;\n"
	"static u1 *p[3];\n"
	"static u8 results[5];\n"
	"static std::mutex n0, n1;\n"
	"static std::recursive_mutex n2;\n"
	"static std::condition_variable &d0 = *new std::condition_variable, &d1 = *new "
	"std::condition_variable;\n"
	"#define m0 (*n0.native_handle())\n#define m1 (*n1.native_handle())\n#define m2 "
	"(*n2.native_handle())\n"
	"#define c0 (*d0.native_handle())\n#define c1 (*d1.native_handle())\n"
	"static pthread_mutex_t m3 = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;\n"
	"static pthread_rwlock_t w0 = PTHREAD_RWLOCK_INITIALIZER, w1 =\n"
	"\tPTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;\n"
	"static std::once_flag o0;\n"
	"static pthread_spinlock_t k0;\n"
	"static sem_t s0, s1;\n"
	"static pthread_barrier_t b0;\n"
	"static int ends[2][2];\n"
	"static const struct timespec past = { 1, 0 };\n"
	"static std::promise<u8> &promise0 = *new std::promise<u8>, &promise1 = *new "
	"std::promise<u8>;\n"
	"static std::shared_future<u8> &future0 = *new "
	"std::shared_future<u8>(promise0.get_future().share()),\n"
	"\t&future1 = *new std::shared_future<u8>(promise1.get_future().share());\n"
	"static u8 fulfil(std::promise<u8> &p, u8 value)\n{\n"
	"\ttry {\n\t\tp.set_value(value);\n\t} catch (const std::future_error &) {\n\t\treturn "
	"1;\n\t}\n"
	"\treturn 0;\n}\n\n"
	"/* A number of bytes that no compiler knows: a call of memcpy stays one. */\n"
	"static inline size_t bytes(size_t n)\n{\n\t__asm__(\"\" : \"+r\"(n));\n\treturn n;\n}\n\n"
	"extern \"C\" unsigned heddle_choose(unsigned n) __attribute__((weak));\n"
	"static unsigned choose(unsigned n)\n{\n"
	"\treturn heddle_choose ? heddle_choose(n) : (unsigned)getpid() % n;\n}\n\n";

static const char *order(unsigned o)
{
	static const char *const names[ORDERS] = {
		"relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst",
	};
	return names[o];
}

static const char *order_of_failure(unsigned o)
{
	return o == ORDER_REL ? "relaxed" : o == ORDER_ACQ_REL ? "acquire" : order(o);
}

/* The call of a macro of the prelude up to its operands: type and address. */
static void emit_macro(const char *macro, const struct insn *in, FILE *out)
{
	fprintf(out, "%s(u%u, ", macro, in->loc.size);
	emit_address(&in->loc, out);
	fputs(", ", out);
}

static bool emit_atomic(const struct insn *in, FILE *out)
{
	if (in->order == ORDER_PLAIN)
		return false;
	switch (in->op) {
	case OP_LOAD:
		fprintf(out, "r%u = ", in->reg);
		emit_macro("LOAD", in, out);
		break;
	case OP_STORE:
		emit_macro("STORE", in, out);
		emit_value(&in->val, out);
		fputs(", ", out);
		break;
	case OP_ADD:
		fprintf(out, "r%u = ", in->reg);
		emit_macro("ADD", in, out);
		emit_value(&in->val, out);
		fputs(", ", out);
		break;
	case OP_CAS:
		fprintf(out, "{ u%u e = %" PRIu64 "ul; ", in->loc.size, in->imm);
		emit_macro("CAS", in, out);
		fputs("e, ", out);
		emit_value(&in->val, out);
		fprintf(out, ", %s, %s); r%u = e; }", order(in->order), order_of_failure(in->order),
			in->reg);
		return true;
	case OP_LOADP:
		fprintf(out, "q%u = LOAD(u1 *, &p[%u], ", in->preg, in->obj);
		break;
	case OP_STOREP:
		fprintf(out, "STORE(u1 *, &p[%u], q%u, ", in->obj, in->preg);
		break;
	default:
		return false;
	}
	fprintf(out, "%s)", order(in->order));
	return true;
}

bool emit_cxx_call(const struct insn *in, FILE *out)
{
	unsigned r = in->reg, obj = in->obj;
	bool is_plain_mutex = mutex_kind(obj) == MUTEX_NORMAL,
	     is_std_mutex = mutex_kind(obj) != MUTEX_CHECKING;
	switch (in->op) {
	case OP_LOCK:
		if (is_std_mutex)
			fprintf(out, "{ n%u.lock(); r%u = 0; }", obj, r);
		return is_std_mutex;
	case OP_TRYLOCK:
		if (is_std_mutex)
			fprintf(out, "r%u = n%u.try_lock() ? 0 : EBUSY", r, obj);
		return is_std_mutex;
	case OP_UNLOCK: /* a recursive one may be refused, which C++ does not tell */
		if (is_plain_mutex)
			fprintf(out, "{ n%u.unlock(); r%u = 0; }", obj, r);
		return is_plain_mutex;
	case OP_WAIT:
		if (in->mutex > 1)
			return false;
		fprintf(out,
			"{ std::unique_lock<std::mutex> lock(n%u, std::adopt_lock); "
			"d%u.wait(lock); "
			"lock.release(); r%u = 0; }",
			in->mutex, obj, r);
		return true;
	case OP_SIGNAL:
		fprintf(out, "d%u.notify_one()", obj);
		return true;
	case OP_BROADCAST:
		fprintf(out, "d%u.notify_all()", obj);
		return true;
	case OP_FENCE:
		fprintf(out, "std::atomic_thread_fence(std::memory_order_%s)", order(in->order));
		return true;
	case OP_JOIN:
		fprintf(out, "{ h%u->join(); r%u = results[%u]; }", obj, r, obj);
		return true;
	case OP_SLEEP:
		fputs("std::this_thread::sleep_for(std::chrono::microseconds(1))", out);
		return true;
	case OP_YIELD:
		fputs("std::this_thread::yield()", out);
		return true;
	case OP_ALLOC:
		fprintf(out, "q%u = (u1 *)calloc(1, %u)", in->preg, BLOCK_BYTES);
		return true;
	case OP_FULFIL:
		fprintf(out, "r%u = fulfil(promise%u, ", r, obj);
		emit_value(&in->val, out);
		fputs(")", out);
		return true;
	case OP_OBTAIN:
		fprintf(out, "r%u = future%u.get()", r, obj);
		return true;
	}
	return emit_atomic(in, out);
}
