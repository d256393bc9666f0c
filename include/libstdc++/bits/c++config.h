/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands before libstdc++'s own configuration header, which every C++ header includes first.  Up to C++17 the
 * members of std::string are declared as instantiated elsewhere, in the library, where they have no hooks; -1
 * is the library's own way to have them instantiated, and so compiled with hooks, in the program.  From C++20
 * on they are anyway.
 */
#pragma GCC system_header
#include_next <bits/c++config.h>
#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
