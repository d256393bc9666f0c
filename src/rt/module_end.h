/* SPDX-License-Identifier: Apache-2.0 */
/* Destructors of modules; see module_end.c. */
#ifndef HEDDLE_RT_MODULE_END_H
#define HEDDLE_RT_MODULE_END_H

void modules_end(void); /* run them all */

#endif
