/* SPDX-License-Identifier: Apache-2.0 */
// Each thread writes one variable and reads the other: under SC at least one of them sees the other's.
// OPTIONS --outcomes --kinds=deadlock
// STATUS 0
// COMPLETE true
// OUTCOMES 01|10|11
#include "store_buffering.h"
