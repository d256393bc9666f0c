/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the C++ runtime library (libstdc++, libgcc) that the runtime stands in front of, or
 * calls.  The names are those of the Itanium C++ ABI, which are C identifiers too; what they mean
 * in C++ stands beside them.
 */
#ifndef HEDDLE_RT_CXX_H
#define HEDDLE_RT_CXX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

/* ---- allocation: new, new[], each plain, aligned, nothrow, both ---- */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
void *_ZnamSt11align_val_t(size_t size, size_t alignment);
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag);
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag);
/* delete, delete[], each plain, sized, aligned, sized and aligned, nothrow, aligned and nothrow */
void _ZdlPv(void *block);
void _ZdaPv(void *block);
void _ZdlPvm(void *block, size_t size);
void _ZdaPvm(void *block, size_t size);
void _ZdlPvSt11align_val_t(void *block, size_t alignment);
void _ZdaPvSt11align_val_t(void *block, size_t alignment);
void _ZdlPvmSt11align_val_t(void *block, size_t size, size_t alignment);
void _ZdaPvmSt11align_val_t(void *block, size_t size, size_t alignment);
void _ZdlPvRKSt9nothrow_t(void *block, const void *tag);
void _ZdaPvRKSt9nothrow_t(void *block, const void *tag);
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *block, size_t alignment, const void *tag);
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *block, size_t alignment, const void *tag);

/* ---- initialisation of static local variables ---- */
int __cxa_guard_acquire(uint8_t *guard);
void __cxa_guard_release(uint8_t *guard);
void __cxa_guard_abort(uint8_t *guard);

/* ---- exceptions ---- */
/* std::type_info and every class with virtual functions: the table of virtual functions comes
 * first. */
struct cxx_object {
	void (*const *functions)(void);
};
struct cxx_type {
	struct cxx_object object;
	const char *name; /* mangled; a star before it only tells how to compare */
};
void __cxa_throw(void *thrown, struct cxx_type *type, void (*destroy)(void *));
void __cxa_rethrow(void);
void *__cxa_begin_catch(void *unwind);
struct cxx_type *__cxa_current_exception_type(void);
/* std::rethrow_exception */
void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer);
void __cxa_end_catch(void);
/* std::exception_ptr: a word, the address of the exception object */
void **_ZSt17current_exceptionv(void **result); /* std::current_exception */
void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **self, void *exception); /* constructors */
void _ZNSt15__exception_ptr13exception_ptrC2EPv(void **self, void *exception);
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self);
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self);
void cxx_init(void); /* see cxx_throw.c: std::terminate becomes a finding */
typedef void terminate_handler(void);
/* std::set_terminate */
terminate_handler *_ZSt13set_terminatePFvvE(terminate_handler *handler);
terminate_handler *_ZSt13get_terminatev(void); /* std::get_terminate */
extern const struct cxx_type _ZTISt9exception; /* typeid(std::exception) */

/* first member: what this thread has caught, innermost first */
void **__cxa_get_globals(void);
/* The exception object of the innermost handler, NULL if there is none or another language made it.
 */
void *cxx_current_exception(void);
/* The library is about to add this to the number of references to an exception; NULL is fine. */
void cxx_exception_counted(const void *exception, int change, uintptr_t pc);
/* An exception object is complete: tell what the library has written of it. */
void cxx_report_made(const void *exception, uintptr_t pc);

/* ---- threads and futures ---- */
struct result_base;
void _ZNSt6thread4joinEv(pthread_t *self); /* std::thread::join */
void _ZNSt6thread6detachEv(pthread_t *self);
void _ZNSt13__future_base12_Result_baseC1Ev(struct result_base *self);
void _ZNSt13__future_base12_Result_baseC2Ev(struct result_base *self);
void _ZNSt13__future_base12_Result_baseD1Ev(struct result_base *self);
void _ZNSt13__future_base12_Result_baseD2Ev(struct result_base *self);

/* ---- unordered containers ---- */
struct rehash_policy { /* std::__detail::_Prime_rehash_policy */
	float max_load;
	size_t next_resize;
};
struct rehash_need { /* std::pair<bool, size_t> */
	bool is_needed;
	size_t buckets;
};
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(const struct rehash_policy *self,
							    size_t n);
struct rehash_need _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
	const struct rehash_policy *self, size_t buckets, size_t elements, size_t more);
struct random_device { /* std::random_device, where it is no generator */
	void *file;
	unsigned (*draw)(void *);
	int fd;
};
/* operator() of std::random_device */
unsigned _ZNSt13random_device9_M_getvalEv(struct random_device *self);
unsigned _ZNSt13random_device16_M_getval_pretr1Ev(struct random_device *self);
bool _ZNSt8ios_base15sync_with_stdioEb(bool is_synchronised);
/* std::_Hash_bytes */
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t n, size_t seed);

/* ---- nodes of containers ---- */
struct tree_node;
struct list_node;
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool is_left,
								       struct tree_node *node,
								       struct tree_node *parent,
								       struct tree_node *header);
struct tree_node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(
	struct tree_node *node, struct tree_node *header);
struct tree_node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct tree_node *node);
struct tree_node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(struct tree_node *node);
struct tree_node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct tree_node *node);
struct tree_node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(struct tree_node *node);
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct list_node *node, struct list_node *before);
void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct list_node *node);
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct list_node *before,
							  struct list_node *first,
							  struct list_node *last);
void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct list_node *head);
void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct list_node *a, struct list_node *b);

/*
 * The library's own functions, NULL where it is not loaded.  They are looked up on first need,
 * since a C program may open a plugin that brings the library with it.
 */
#define REAL(name) extern __typeof__(name) *real_##name;
#include "rt/real_cxx.def"
#undef REAL

void real_resolve_cxx(void);
#define REAL_CXX(name) (real_##name ? real_##name : (real_resolve_cxx(), real_##name))

#endif
