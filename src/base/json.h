/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON output into a struct buf: indented, keys in call order.  Inside an object every value is
 * preceded by json_key; inside an array it is not.  Bytes that are not UTF-8 are written as
 * U+FFFD.
 */
#ifndef HEDDLE_JSON_H
#define HEDDLE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json {
	struct buf *out;
	int depth;
	bool has_elements; /* the innermost open container is not empty */
	bool after_key;
};

void json_init(struct json *j, struct buf *out);
void json_begin_object(struct json *j);
void json_end_object(struct json *j);
void json_begin_array(struct json *j);
void json_end_array(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *s); /* NULL writes null */
/* a string that may contain zeros */
void json_bytes(struct json *j, const char *bytes, size_t len);
void json_number(struct json *j, uint64_t n);
void json_bool(struct json *j, bool b);

#endif
