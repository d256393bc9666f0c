/* SPDX-License-Identifier: Apache-2.0 */
// Each thread writes one variable and reads the other: under TSO both may see the old value.
// OPTIONS --outcomes --kinds=deadlock --memory=tso
// STATUS 0
// COMPLETE true
// OUTCOMES 00|01|10|11
#include "store_buffering.h"
