/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files and archives of them, as the driver and the inspection of programs read them. */
#include "fuzz.h"

#include <string.h>

#include "binary/program.h"

static uint64_t sum; /* of what was read, so that it is */

static void see_slot(void *ctx, uint64_t slot, const char *symbol)
{
	(void)ctx;
	sum += slot + strlen(symbol);
}

static int see_image(void *ctx, const void *bytes, size_t len)
{
	(void)ctx;
	struct image img;
	const char *reason;
	char id[IMAGE_BUILD_ID_SIZE];
	struct program_info info = { 0 };
	if (image_open(&img, bytes, len, &reason))
		return 0;
	for (size_t i = 0; i < img.sections.len; i++) {
		const unsigned char *content = image_section_bytes(&img, i);
		sum += strlen(image_section_name(&img, i));
		if (content && img.sections.at[i].sh_size)
			sum += content[0] + content[img.sections.at[i].sh_size - 1];
	}
	for (size_t i = 0; i < img.symbols.len; i++) {
		const struct image_symbol *s = &img.symbols.at[i];
		size_t available;
		const unsigned char *at = image_at(&img, s->address, 1, &available);
		sum += strlen(s->name) + (s->library ? strlen(s->library) : 0) +
		       (at ? at[available - 1] : 0);
	}
	image_slots(&img, see_slot, NULL);
	image_build_id(&img, id);
	sum += strlen(id) + (size_t)program_runtime(&img);
	program_collect_imports(&img, &info);
	program_info_release(&info);
	image_close(&img);
	return 0;
}

static void run(const uint8_t *bytes, size_t len)
{
	if (archive_is(bytes, len))
		archive_walk(bytes, len, see_image, NULL);
	else
		see_image(NULL, bytes, len);
}

const struct fuzz_target fuzz_image = { "image", run, NULL };
