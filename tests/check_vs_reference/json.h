/* SPDX-License-Identifier: Apache-2.0 */
/* Just enough of JSON to read results: values are places in the text, and what is not there is
 * NULL. */
#ifndef CHECK_JSON_H
#define CHECK_JSON_H

#include <stdbool.h>
#include <stddef.h>

const char *json_member(const char *object, const char *key);
/* The first value of an array, and the one after a value. */
const char *json_first(const char *array);
const char *json_next(const char *value);
/* How many bytes the text of a string has, without a zero; -1: it is none, or has no room. */
long json_string(const char *value, char *out, size_t room);
/* A number, or -1 for anything else. */
long json_number(const char *value);
bool json_is_true(const char *value);

#endif
