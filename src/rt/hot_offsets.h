/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where hooks.S finds what it uses: offsets in struct hot and struct site, and a few numbers of
 * other headers, which cannot be included in assembler.  access.c fails to compile if one of them
 * is wrong.
 */
#ifndef HEDDLE_RT_HOT_OFFSETS_H
#define HEDDLE_RT_HOT_OFFSETS_H

#define G_ACTIVE 0
#define G_BUDGET 8
/* with G_UNSETTLED the eight bytes that are 0 when nothing is to be done first */
#define G_SLOW 16
#define G_UNSETTLED 20
#define G_HOOK_PC 24
#define G_CHUNK_EVENTS 32
#define G_SITE 40
#define G_SEEN_ADDRESS 48
#define G_SEEN_POINTER 56
#define G_SEEN_VALUE 64
#define G_MEMORY 72
#define G_QUICK_ADDRESS 80
#define G_QUICK_SITE 88
#define G_QUICK_FLAGS 96
#define G_BRANCHED 104
#define G_PATH 112
#define G_CODE_LOW 120
#define G_CODE_SIZE 128
#define G_CODE_SHIFT 136
#define G_STACK_LOW 144
#define G_STACK_SIZE 152
#define G_MODULES_LOW 160
#define G_MODULES_SIZE 168
#define G_CHUNK_TOLD 176
#define G_CHUNK_AT 184

#define SITE_ADDRESS 0
#define SITE_STEP 8
#define SITE_SEEN_STEP 16
#define SITE_VALUE 24
#define SITE_VALUE_STEP 32
#define SITE_NEXT 40
#define SITE_BASE 44
#define SITE_SEEN_BASE 45
#define SITE_VALUE_BASE 46
#define SITE_FLAGS 47
#define SITE_PC 48
#define SITE_BASE_AT 56
#define SITE_VALUE_AT 64
#define SITE_ID 72
#define SITE_SIZE 77
#define SITE_VARINT_SIZE 78
#define SITE_VARINT 80
#define SITE_NEXT_AT 88
#define SITE_LONE_PC 104

#define HINTS 4096 /* sites that are found at once, for each kind and size */
/* calls of one hook lie farther apart than this many bytes, as a power of two */
#define HINT_SHIFT 3
#define SHADOW_BIT 45
#define HOT_KNOWN_BASE 0x600000000000
#define HOT_PATH_FACTOR 0x9e3779b97f4a7c15
#define HOT_EVF_BRANCH 1
#define HOT_EVF_VOLATILE 4
#define HOT_EVF_STACK 64
#define HOT_CHUNK_MAX 1984
#define HOT_TOKEN_MAX 40
#define HOT_RUN 0x80
#define HOT_RUN_LONG 0x7f
#define HOT_TOKEN_SITE 0x01
#define HOT_TOKEN_FLAGS 0x20
#define HOT_TOKEN_VALUE 0x40
#define HOT_OF_SITE 1 /* enum access_base */
#define HOT_OF_THREAD 2
#define HOT_OF_POINTER 3
#define HOT_VALUE_OF_MEMORY 0 /* enum value_base */
#define HOT_VALUE_OF_READ 1
#define HOT_VALUE_OF_SITE 2
#define HOT_VALUE_ABSOLUTE 3

#endif
