/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a 64-bit x86 ELF file in memory: headers, sections, symbols, relocations, needed
 * libraries.  The caller owns the bytes.  They are untrusted: every offset and length is checked
 * against the file's size, and what does not fit is treated as absent.  The same holds for
 * archives.
 */
#ifndef HEDDLE_BINARY_IMAGE_H
#define HEDDLE_BINARY_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct image_symbol {
	const char *name; /* in the image's bytes; "" if damaged */
	uint64_t address;
	uint64_t size;
	unsigned type, binding, visibility;
	bool is_defined;
	/* of an undefined versioned symbol: the library to define it; else NULL */
	const char *library;
};

struct image {
	const unsigned char *bytes;
	size_t len;
	Elf64_Ehdr header;
	VEC(Elf64_Shdr) sections;
	VEC(struct image_symbol) symbols; /* static and dynamic table, in this order */
	VEC(const char *) needed;	  /* libraries of DT_NEEDED */
	bool has_interpreter;
	bool is_dynamic;
};

/* Read the tables.  ERR_FORMAT if the bytes are not an ELF file for x86-64; *reason says why. */
int image_open(struct image *img, const void *bytes, size_t len, const char **reason);
void image_close(struct image *img);

const char *image_section_name(const struct image *img, size_t section);
/* Is it the code of heddle's own runtime? */
bool image_is_runtime(const struct image *img, size_t section);
bool image_is_in_runtime(const struct image *img, uint64_t address);
/* Bytes of a section, NULL if it has none in the file. */
const unsigned char *image_section_bytes(const struct image *img, size_t section);
/* Bytes at an address of the loaded program, at least `need` of them; NULL if they are not in the
 * file. */
const unsigned char *image_at(const struct image *img, uint64_t address, size_t need,
			      size_t *available);

/* The largest alignment of a loadable segment. */
uint64_t image_alignment(const struct image *img);

/* Call each for every dynamic relocation that fills a slot with the address of a symbol. */
void image_slots(const struct image *img,
		 void (*each)(void *ctx, uint64_t slot, const char *symbol), void *ctx);

/* Build id as hex digits; "" if there is none.  out has room for 2 * 64 + 1 bytes. */
#define IMAGE_BUILD_ID_SIZE 129
void image_build_id(const struct image *img, char *out);

/* Call `each` for every member of an archive; a result other than 0 ends the walk and is returned.
 * Errors: ERR_FORMAT. */
int archive_walk(const void *bytes, size_t len,
		 int (*each)(void *ctx, const void *member, size_t len), void *ctx);
bool archive_is(const void *bytes, size_t len);

#endif
