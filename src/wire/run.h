/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between `heddle run` and the program that it runs.
 *
 * The environment variable RUN_ENVIRONMENT has RUN_NUMBERS decimal numbers with commas between.
 * Two of them make the name of a datagram socket of the tool, in the abstract namespace.  A process
 * opens a socket for each message, so it has no descriptor of ours, and children, also those that
 * close all descriptors, need nothing but the environment.
 *
 * A message is text, one item a line, words separated by single blanks, numbers hexadecimal
 * unless said otherwise:
 *
 *   hello VERSION PID HOW PATH     once for each process image; HOW is one of RUN_HELLO_...
 *   found KIND STATUS LOCKED ADDRESS SIZE PID
 *                                  begins a finding; LOCKED is 0 or 1
 *                                  of a signal SIZE is its number
 *   object KIND                    the address is that of a synchronisation object
 *   text TEXT                      what its sentence quotes: the name of a function
 *   module N START SIZE PATH       N counts from 0; mentioned before its first use
 *   act NUMBER THREAD ACT ATOMIC ADDRESS SIZE
 *                                  what a thread did; NUMBER is 0 for the younger action, 1, 2 ...
 *                                  for older ones
 *   lock ADDRESS MODE KIND         held by it meanwhile; MODE 0 reading, 1 writing
 *   wait ADDRESS KIND HOLDER       what it waits for; HOLDER is the thread that has it, or
 *                                  RUN_NO_THREAD.  For the end of a thread ADDRESS is its number
 *   thread N CREATOR NAME          N takes part; the name may be empty
 *   block START SIZE THREAD FREED  the memory is a block of the heap, allocated by THREAD
 *   data N OFFSET                  the memory is data of module N
 *   stack THREAD                   the memory is on the stack of THREAD
 *   at N OFFSET                    a frame of the call stack that belongs to the line before the
 *                                  frames, innermost first; OFFSET is a return address in module N
 *   more N                         so many threads did not fit into the message
 *   end
 *
 * Words for KIND, STATUS and ACT, and for the KIND of a lock, are those of finding.def.
 */
#ifndef HEDDLE_WIRE_RUN_H
#define HEDDLE_WIRE_RUN_H

#define RUN_ENVIRONMENT "HEDDLE_RUN"
#define RUN_VERSION "4"
#define RUN_MESSAGE_MAX (60 << 10)
/* The name of the socket: this, RUN_TOOL, '-', RUN_KEY. */
#define RUN_SOCKET "heddle-run-"
/* Where a process that is watched has a mapping. */
#define RUN_SHADOW 0x100000000000ull
#define RUN_NO_THREAD 0xffffffffu
/*
 * A process that gets this signal from the tool says in a finding of kind `timeout` what its
 * threads do; it is killed afterwards.  It is a signal of glibc, which no thread can block.
 */
#define RUN_SIGNAL_STATE 33
/* The path of a program that has started the tool, in order to be watched by it. */
#define RUN_STARTER "HEDDLE_RUN_STARTER"

enum {
	RUN_TOOL, /* its process */
	RUN_KEY,
	RUN_FLAGS,
	RUN_HISTORY,
	RUN_SECTIONS,
	RUN_LIMIT,
	RUN_EXIT_CODE,
	RUN_EXIT_WAIT,
	RUN_NUMBERS
};

#define RUN_FLAG_PREDICT 1u
#define RUN_FLAG_HALT 2u
#define RUN_FLAG_LOCK_ORDERS 4u
#define RUN_FLAG_FD 8u
#define RUN_FLAG_THREAD_LEAKS 16u
#define RUN_FLAG_SIGNALS 32u

#define RUN_HELLO_FINE "fine"
/* the kernel has put the program where shadow memory does not reach */
#define RUN_HELLO_PLACE "place"
#define RUN_HELLO_SHADOW "shadow" /* no room for shadow memory */
#define RUN_HELLO_SLOW "slow"	  /* built for exploration: works, but slower */

#endif
