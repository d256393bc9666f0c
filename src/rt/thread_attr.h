/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of threads: the stack that a new thread is to have; see thread_attr.c. */
#ifndef HEDDLE_RT_THREAD_ATTR_H
#define HEDDLE_RT_THREAD_ATTR_H

#include <pthread.h>

#include "rt/rt.h"

struct stack_request;

#define THREAD_STACK 0x800000ull /* size where the program requests none */
void thread_stack_wanted(const pthread_attr_t *attr, struct stack_request *out);

#endif
