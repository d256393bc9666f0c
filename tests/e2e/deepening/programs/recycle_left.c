/* SPDX-License-Identifier: Apache-2.0 */
// recycle_chain with a heap that leaves in memory what lay there.
#define LEFT
#include "recycle_chain.c"
