/* SPDX-License-Identifier: Apache-2.0 */
// Each thread writes one variable and reads the other: under PSO both may see the old value.
// OPTIONS --outcomes --kinds=deadlock --memory=pso
// STATUS 0
// COMPLETE true
// OUTCOMES 00|01|10|11
#include "store_buffering.h"
