/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIRS_H
#define PAIRS_H

#ifdef __cplusplus
extern "C" {
#endif
int sum_to(int n);
int count_in_threads(int threads);
#ifdef __cplusplus
}
#endif

#endif
