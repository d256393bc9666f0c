/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

/* The length of the first word of a text. */
size_t first_word(const char *text)
{
	return strcspn(text, " ");
}
