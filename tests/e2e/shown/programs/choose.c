/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve choices, of which an assumption leaves out four, or all. */
#include <heddle/explore.h>

int main(void)
{
	int a = heddle_choose(3), b = heddle_choose(4);
#ifdef ALL_FAIL
	heddle_assume(a > 2);
#else
	heddle_assume(a != 1);
#endif
	return a > 2 && b > 3;
}
