/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executable that is audited, as its file tells: code bytes, functions with the source file
 * they came from, names of the slots through which it calls shared libraries, and the parts of
 * memory that nobody can write.
 *
 * Instructions are decoded from the file, never from the traced process, so breakpoints do not
 * disturb decoding.  All addresses are link-time addresses; the load bias is added by the caller.
 *
 * A function belongs to the corpus ("own") if it is a local symbol of one of the named source
 * files.  Corpus files have no global functions, so this is all of their code, including the
 * parts that a compiler splits off.
 */
#ifndef AUDIT_IMAGE_H
#define AUDIT_IMAGE_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static inline _Noreturn void die(const char *what, const char *detail)
{
	fprintf(stderr, "audit: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
	exit(3);
}

/* One more element at the end of an array that grows; the element is zeroed. */
static inline void *array_add(void **array, size_t *len, size_t *cap, size_t element)
{
	if (*len == *cap) {
		*cap = *cap ? *cap * 2 : 64;
		*array = realloc(*array, *cap * element);
		if (!*array)
			die("out of memory", NULL);
	}
	char *at = (char *)*array + (*len)++ * element;
	memset(at, 0, element);
	return at;
}

struct function {
	uint64_t start, size;
	const char *name;
	const char *file; /* source file of a local symbol, NULL for a global one */
	bool is_own;
};

struct slot {
	uint64_t address;
	const char *name;
};

struct range {
	uint64_t start, end;
};

struct image {
	const unsigned char *bytes;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segments;
	struct function *functions; /* sorted by start */
	size_t function_count, function_cap;
	struct slot *slots;
	size_t slot_count, slot_cap;
	struct range *constants; /* what cannot be written while the program runs */
	size_t constant_count, constant_cap;
	struct range plt[4];
	size_t plt_count;
};

static inline bool range_has(const struct range *r, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= r[i].start && address < r[i].end)
			return true;
	return false;
}

/*
 * Bytes of the file, or the end of the program: the file was made by our own build, damage is not
 * expected.
 */
static inline const void *image_at(const struct image *im, uint64_t offset, uint64_t size)
{
	if (offset > im->size || size > im->size - offset)
		die("the executable is cut off", NULL);
	return im->bytes + offset;
}

static inline int image_compare_functions(const void *a, const void *b)
{
	const struct function *f = a, *g = b;
	return f->start < g->start ? -1 : f->start > g->start;
}

static inline bool image_is_corpus_file(const char *file, char **corpus, int corpus_count)
{
	for (int i = 0; file && i < corpus_count; i++)
		if (!strcmp(file, corpus[i]))
			return true;
	return false;
}

static inline void image_read_functions(struct image *im, const Elf64_Shdr *sections,
					const Elf64_Shdr *table, char **corpus, int corpus_count)
{
	const Elf64_Shdr *strings = &sections[table->sh_link];
	const char *names = image_at(im, strings->sh_offset, strings->sh_size);
	const Elf64_Sym *sym = image_at(im, table->sh_offset, table->sh_size);
	const char *file = NULL;
	for (size_t i = 0; i < table->sh_size / sizeof(*sym); i++) {
		const char *name = names + sym[i].st_name;
		bool is_local = ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL;
		if (ELF64_ST_TYPE(sym[i].st_info) == STT_FILE)
			file = name;
		if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC || sym[i].st_shndx == SHN_UNDEF)
			continue;
		struct function *f = array_add((void **)&im->functions, &im->function_count,
					       &im->function_cap, sizeof(*f));
		f->start = sym[i].st_value;
		f->size = sym[i].st_size;
		f->name = name;
		f->file = is_local ? file : NULL;
		f->is_own = is_local && image_is_corpus_file(file, corpus, corpus_count);
	}
	qsort(im->functions, im->function_count, sizeof(*im->functions), image_compare_functions);
}

static inline void image_read_slots(struct image *im, const Elf64_Shdr *sections,
				    const Elf64_Shdr *relocations)
{
	const Elf64_Shdr *table = &sections[relocations->sh_link];
	if (table->sh_type != SHT_DYNSYM)
		return;
	const Elf64_Sym *sym = image_at(im, table->sh_offset, table->sh_size);
	const Elf64_Shdr *strings = &sections[table->sh_link];
	const char *names = image_at(im, strings->sh_offset, strings->sh_size);
	const Elf64_Rela *rela = image_at(im, relocations->sh_offset, relocations->sh_size);
	for (size_t i = 0; i < relocations->sh_size / sizeof(*rela); i++) {
		unsigned type = ELF64_R_TYPE(rela[i].r_info);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		struct slot *s =
			array_add((void **)&im->slots, &im->slot_count, &im->slot_cap, sizeof(*s));
		s->address = rela[i].r_offset;
		s->name = names + sym[ELF64_R_SYM(rela[i].r_info)].st_name;
	}
}

static inline void image_open(struct image *im, const char *path, char **corpus, int corpus_count)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die("cannot open", path);
	im->size = st.st_size;
	im->bytes = mmap(NULL, im->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (im->bytes == MAP_FAILED)
		die("cannot map", path);
	im->header = image_at(im, 0, sizeof(*im->header));
	if (memcmp(im->header->e_ident, ELFMAG, SELFMAG) || im->header->e_machine != EM_X86_64)
		die("not an x86-64 executable", path);
	im->segments =
		image_at(im, im->header->e_phoff, im->header->e_phnum * sizeof(*im->segments));
	for (int i = 0; i < im->header->e_phnum; i++) {
		const Elf64_Phdr *p = &im->segments[i];
		if (p->p_type == PT_GNU_RELRO || (p->p_type == PT_LOAD && !(p->p_flags & PF_W))) {
			struct range *r = array_add((void **)&im->constants, &im->constant_count,
						    &im->constant_cap, sizeof(*r));
			*r = (struct range){ p->p_vaddr, p->p_vaddr + p->p_memsz };
		}
	}
	const Elf64_Shdr *sections =
		image_at(im, im->header->e_shoff, im->header->e_shnum * sizeof(*sections));
	const char *names = image_at(im, sections[im->header->e_shstrndx].sh_offset, 0);
	for (int i = 0; i < im->header->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		if (s->sh_type == SHT_SYMTAB)
			image_read_functions(im, sections, s, corpus, corpus_count);
		if (s->sh_type == SHT_RELA)
			image_read_slots(im, sections, s);
		if (!strncmp(names + s->sh_name, ".plt", 4) && im->plt_count < 4)
			im->plt[im->plt_count++] =
				(struct range){ s->sh_addr, s->sh_addr + s->sh_size };
	}
}

/* Bytes of code at an address, at most 15; *len is how many there are. */
static inline const unsigned char *image_code(const struct image *im, uint64_t address, size_t *len)
{
	for (int i = 0; i < im->header->e_phnum; i++) {
		const Elf64_Phdr *p = &im->segments[i];
		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address < p->p_vaddr + p->p_filesz) {
			uint64_t left = p->p_vaddr + p->p_filesz - address;
			*len = left < 15 ? left : 15;
			return image_at(im, p->p_offset + (address - p->p_vaddr), *len);
		}
	}
	return NULL;
}

/* Index of the first function whose start is not below an address. */
static inline size_t image_lower_bound(const struct image *im, uint64_t address)
{
	size_t low = 0, high = im->function_count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (im->functions[mid].start < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The corpus function that contains an address, or NULL. */
static inline const struct function *image_own_function(const struct image *im, uint64_t address)
{
	size_t i = image_lower_bound(im, address + 1);
	while (i-- > 0) {
		const struct function *f = &im->functions[i];
		if (f->is_own && address - f->start < f->size)
			return f;
		if (address - f->start > 0x100000)
			break;
	}
	return NULL;
}

static inline const char *image_slot_name(const struct image *im, uint64_t address)
{
	for (size_t i = 0; i < im->slot_count; i++)
		if (im->slots[i].address == address)
			return im->slots[i].name;
	return NULL;
}

#endif
