/* SPDX-License-Identifier: Apache-2.0 */
/* Lock orders: which lock was requested while which others were held, and cycles among them. */
#ifndef HEDDLE_RUN_ORDER_H
#define HEDDLE_RUN_ORDER_H

#include <stdint.h>

struct thr;

void lock_order_acquire(struct thr *t, uint32_t lock, uint32_t stack); /* before t waits for it */
void lock_order_forget(uint32_t lock);				       /* the lock is destroyed */

#endif
