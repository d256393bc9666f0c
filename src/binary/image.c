/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files and archives in memory; see image.h. */
#include "binary/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const struct image *img, uint64_t offset, uint64_t size)
{
	return offset <= img->len && size <= img->len - offset;
}

const unsigned char *image_section_bytes(const struct image *img, size_t section)
{
	if (section >= img->sections.len)
		return NULL;
	const Elf64_Shdr *s = &img->sections.at[section];
	return s->sh_type != SHT_NOBITS && fits(img, s->sh_offset, s->sh_size)
		       ? img->bytes + s->sh_offset
		       : NULL;
}

/* A string inside a string section; "" if the offset is invalid or the string is not terminated. */
static const char *string_at(const struct image *img, size_t section, uint64_t offset)
{
	const unsigned char *bytes = image_section_bytes(img, section);
	if (!bytes || offset >= img->sections.at[section].sh_size)
		return "";
	size_t room = img->sections.at[section].sh_size - offset;
	return memchr(bytes + offset, 0, room) ? (const char *)bytes + offset : "";
}

const char *image_section_name(const struct image *img, size_t section)
{
	return section < img->sections.len
		       ? string_at(img, img->header.e_shstrndx, img->sections.at[section].sh_name)
		       : "";
}

bool image_is_runtime(const struct image *img, size_t section)
{
	/* The Makefile puts the code of the runtime and of the OpenMP library into these. */
	const char *name = image_section_name(img, section);
	return !strcmp(name, "heddle_text") || !strcmp(name, "heddle_openmp");
}

bool image_is_in_runtime(const struct image *img, uint64_t address)
{
	for (size_t i = 1; i < img->sections.len; i++)
		if (address - img->sections.at[i].sh_addr < img->sections.at[i].sh_size &&
		    image_is_runtime(img, i))
			return true;
	return false;
}

static size_t find_section(const struct image *img, uint32_t type)
{
	for (size_t i = 1; i < img->sections.len; i++)
		if (img->sections.at[i].sh_type == type)
			return i;
	return 0;
}

/* The library that must provide a symbol version (SHT_GNU_verneed is a list of lists). */
static const char *library_of_version(const struct image *img, size_t verneed, uint16_t version)
{
	const unsigned char *bytes = image_section_bytes(img, verneed);
	if (!bytes)
		return NULL;
	const Elf64_Shdr *s = &img->sections.at[verneed];
	uint64_t at = 0;
	for (uint32_t i = 0; i < s->sh_info; i++) {
		Elf64_Verneed need;
		if (at > s->sh_size || s->sh_size - at < sizeof(need))
			return NULL;
		memcpy(&need, bytes + at, sizeof(need));
		uint64_t aux_at = at + need.vn_aux;
		for (uint16_t k = 0; k < need.vn_cnt; k++) {
			Elf64_Vernaux aux;
			if (aux_at > s->sh_size || s->sh_size - aux_at < sizeof(aux))
				return NULL;
			memcpy(&aux, bytes + aux_at, sizeof(aux));
			if ((aux.vna_other & 0x7fff) == (version & 0x7fff))
				return string_at(img, s->sh_link, need.vn_file);
			aux_at += aux.vna_next;
		}
		if (!need.vn_next)
			return NULL;
		at += need.vn_next;
	}
	return NULL;
}

static void read_symbols(struct image *img, size_t section)
{
	const unsigned char *bytes = image_section_bytes(img, section);
	if (!bytes)
		return;
	const Elf64_Shdr *s = &img->sections.at[section];
	size_t versym = s->sh_type == SHT_DYNSYM ? find_section(img, SHT_GNU_versym) : 0;
	size_t verneed = versym ? find_section(img, SHT_GNU_verneed) : 0;
	const unsigned char *versions = versym ? image_section_bytes(img, versym) : NULL;
	size_t count = s->sh_size / sizeof(Elf64_Sym);
	for (size_t i = 1; i < count; i++) {
		Elf64_Sym raw;
		memcpy(&raw, bytes + i * sizeof(raw), sizeof(raw));
		struct image_symbol *sym = vec_add(&img->symbols);
		sym->name = string_at(img, s->sh_link, raw.st_name);
		sym->address = raw.st_value;
		sym->size = raw.st_size;
		sym->type = ELF64_ST_TYPE(raw.st_info);
		sym->binding = ELF64_ST_BIND(raw.st_info);
		sym->visibility = ELF64_ST_VISIBILITY(raw.st_other);
		sym->is_defined = raw.st_shndx != SHN_UNDEF;
		if (versions && (i + 1) * 2 <= img->sections.at[versym].sh_size &&
		    !sym->is_defined) {
			uint16_t version;
			memcpy(&version, versions + i * 2, 2);
			sym->library = library_of_version(img, verneed, version);
		}
	}
}

static void read_dynamic(struct image *img)
{
	size_t section = find_section(img, SHT_DYNAMIC);
	const unsigned char *bytes = section ? image_section_bytes(img, section) : NULL;
	if (!bytes)
		return;
	const Elf64_Shdr *s = &img->sections.at[section];
	for (size_t i = 0; i < s->sh_size / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn d;
		memcpy(&d, bytes + i * sizeof(d), sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_NEEDED)
			vec_push(&img->needed, string_at(img, s->sh_link, d.d_un.d_val));
	}
}

static bool program_header(const struct image *img, size_t i, Elf64_Phdr *p)
{
	uint64_t at = img->header.e_phoff + i * sizeof(*p);
	if (img->header.e_phentsize != sizeof(*p) || i >= img->header.e_phnum ||
	    !fits(img, at, sizeof(*p)))
		return false;
	memcpy(p, img->bytes + at, sizeof(*p));
	return true;
}

int image_open(struct image *img, const void *bytes, size_t len, const char **reason)
{
	memset(img, 0, sizeof(*img));
	img->bytes = bytes;
	img->len = len;
	*reason = "is not an ELF file";
	if (len < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG))
		return -ERR_FORMAT;
	*reason = "is a 32-bit program";
	if (img->bytes[EI_CLASS] == ELFCLASS32)
		return -ERR_FORMAT;
	*reason = "is a damaged ELF file";
	if (len < sizeof(img->header))
		return -ERR_FORMAT;
	memcpy(&img->header, bytes, sizeof(img->header));
	*reason = "is not for x86-64";
	if (img->header.e_machine != EM_X86_64)
		return -ERR_FORMAT;
	Elf64_Phdr p;
	for (size_t i = 0; program_header(img, i, &p); i++) {
		img->has_interpreter |= p.p_type == PT_INTERP;
		img->is_dynamic |= p.p_type == PT_DYNAMIC;
	}
	if (img->header.e_shentsize == sizeof(Elf64_Shdr)) {
		for (size_t i = 0; i < img->header.e_shnum; i++) {
			uint64_t at = img->header.e_shoff + i * sizeof(Elf64_Shdr);
			if (!fits(img, at, sizeof(Elf64_Shdr)))
				break;
			memcpy(vec_add(&img->sections), img->bytes + at, sizeof(Elf64_Shdr));
		}
	}
	size_t table = find_section(img, SHT_SYMTAB);
	if (table)
		read_symbols(img, table);
	table = find_section(img, SHT_DYNSYM);
	if (table)
		read_symbols(img, table);
	read_dynamic(img);
	*reason = NULL;
	return 0;
}

void image_close(struct image *img)
{
	vec_release(&img->sections);
	vec_release(&img->symbols);
	vec_release(&img->needed);
}

uint64_t image_alignment(const struct image *img)
{
	uint64_t most = 0;
	Elf64_Phdr p;
	for (size_t i = 0; program_header(img, i, &p); i++)
		if (p.p_type == PT_LOAD && p.p_align > most)
			most = p.p_align;
	return most;
}

const unsigned char *image_at(const struct image *img, uint64_t address, size_t need,
			      size_t *available)
{
	Elf64_Phdr p;
	for (size_t i = 0; program_header(img, i, &p); i++) {
		if (p.p_type != PT_LOAD || address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		uint64_t skip = address - p.p_vaddr, rest = p.p_filesz - skip;
		if (rest < need || !fits(img, p.p_offset, p.p_filesz))
			return NULL;
		if (available)
			*available = rest;
		return img->bytes + p.p_offset + skip;
	}
	return NULL;
}

void image_slots(const struct image *img,
		 void (*each)(void *ctx, uint64_t slot, const char *symbol), void *ctx)
{
	size_t dynsym = find_section(img, SHT_DYNSYM);
	const unsigned char *symbols = dynsym ? image_section_bytes(img, dynsym) : NULL;
	for (size_t i = 1; i < img->sections.len && symbols; i++) {
		const Elf64_Shdr *s = &img->sections.at[i];
		const unsigned char *bytes = image_section_bytes(img, i);
		if (s->sh_type != SHT_RELA || s->sh_link != dynsym || !bytes)
			continue;
		for (size_t k = 0; k < s->sh_size / sizeof(Elf64_Rela); k++) {
			Elf64_Rela r;
			memcpy(&r, bytes + k * sizeof(r), sizeof(r));
			uint64_t index = ELF64_R_SYM(r.r_info), type = ELF64_R_TYPE(r.r_info);
			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
			    (index + 1) * sizeof(Elf64_Sym) > img->sections.at[dynsym].sh_size)
				continue;
			Elf64_Sym sym;
			memcpy(&sym, symbols + index * sizeof(sym), sizeof(sym));
			each(ctx, r.r_offset,
			     string_at(img, img->sections.at[dynsym].sh_link, sym.st_name));
		}
	}
}

void image_build_id(const struct image *img, char *out)
{
	out[0] = 0;
	for (size_t i = 1; i < img->sections.len; i++) {
		const unsigned char *bytes = image_section_bytes(img, i);
		size_t size = img->sections.at[i].sh_size;
		Elf64_Nhdr n;
		if (img->sections.at[i].sh_type != SHT_NOTE || !bytes || size < sizeof(n))
			continue;
		memcpy(&n, bytes, sizeof(n));
		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 || n.n_descsz > 64 ||
		    size < sizeof(n) + 4 + n.n_descsz || memcmp(bytes + sizeof(n), "GNU", 4))
			continue;
		for (uint32_t k = 0; k < n.n_descsz; k++)
			snprintf(out + 2 * k, 3, "%02x", bytes[sizeof(n) + 4 + k]);
		return;
	}
}

/* ---- archives ---- */

#define AR_MAGIC "!<arch>\n"
#define AR_HEADER 60
#define AR_SIZE_AT 48
#define AR_SIZE_LEN 10

bool archive_is(const void *bytes, size_t len)
{
	return len >= 8 && !memcmp(bytes, AR_MAGIC, 8);
}

int archive_walk(const void *bytes, size_t len,
		 int (*each)(void *ctx, const void *member, size_t len), void *ctx)
{
	const char *p = bytes;
	if (!archive_is(bytes, len))
		return -ERR_FORMAT;
	size_t at = 8;
	while (len - at >= AR_HEADER) {
		const char *header = p + at;
		char digits[AR_SIZE_LEN + 1] = { 0 };
		memcpy(digits, header + AR_SIZE_AT, AR_SIZE_LEN);
		unsigned long long size = strtoull(digits, NULL, 10);
		at += AR_HEADER;
		if (memcmp(header + 58, "`\n", 2) || size > len - at)
			return -ERR_FORMAT;
		/* Names "/" and "//" are the symbol index and the table of long names. */
		bool is_index = header[0] == '/' &&
				(header[1] == ' ' || header[1] == '/' || header[1] == 'S');
		int rc = is_index ? 0 : each(ctx, p + at, size);
		if (rc)
			return rc;
		at += size + (size & 1);
		if (at > len)
			break;
	}
	return 0;
}
