/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

#define HEDDLE_VERSION "0.1.0"

#endif
