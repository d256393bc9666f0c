/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locale and what depends on it: messages in the user's language, texts for numbers of errors
 * and signals.  The process has one locale, an object inside libc; a thread may use another one,
 * an object that newlocale made.  A translation is found in a file that libc maps when it is
 * first needed; the text itself never changes.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

WRAP(char *, setlocale, (int category, const char *name), (category, name), READS_TEXT(name);
     libc_hidden(HIDDEN_LOCALE, name != NULL, PC), WROTE_TEXT(result))

static void wrote_conventions(const struct lconv *conventions, pc_t pc)
{
	rt_libc_wrote(conventions, sizeof(*conventions), pc);
}

WRAP(struct lconv *, localeconv, (void), (), LOOKS_AT(LOCALE), wrote_conventions(result, PC))
WRAP(char *, nl_langinfo, (nl_item item), (item), LOOKS_AT(LOCALE), NOTHING)
WRAP(char *, nl_langinfo_l, (nl_item item, locale_t locale), (item, locale),
     libc_object(HIDDEN_LOCALE_OBJECT, locale, false, PC), NOTHING)
extern __typeof__(nl_langinfo_l) __nl_langinfo_l LIBC_ALIAS(nl_langinfo_l);
WRAP(int, rpmatch, (const char *answer), (answer), READS_TEXT(answer); LOOKS_AT(LOCALE), NOTHING)

/* ---- locales as objects ---- */

WRAP(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base),
     READS_TEXT(name);
     if (base) libc_object(HIDDEN_LOCALE_OBJECT, base, true, PC), NOTHING)
WRAP(locale_t, duplocale, (locale_t locale), (locale),
     libc_object(HIDDEN_LOCALE_OBJECT, locale, false, PC), NOTHING)
WRAP_VOID(freelocale, (locale_t locale), (locale),
	  libc_object(HIDDEN_LOCALE_OBJECT, locale, true, PC), NOTHING)
extern __typeof__(newlocale) __newlocale LIBC_ALIAS(newlocale);
extern __typeof__(duplocale) __duplocale LIBC_ALIAS(duplocale);
extern __typeof__(freelocale) __freelocale LIBC_ALIAS(freelocale);

/* ---- messages ---- */

/* The text is the one asked for, or the translation. */
static void translated(const char *result, const char *text, const char *plural, pc_t pc)
{
	if (result != text && result != plural)
		libc_appeared(result, rt_strlen(result) + 1, pc);
}

#define MESSAGE(name, parameters, arguments, text, plural)                              \
	WRAP(char *, name, parameters, arguments, LOOKS_AT(MESSAGES); LOOKS_AT(LOCALE); \
	     READS_TEXT(text);                                                          \
	     READS_TEXT(plural), if (result) translated(result, text, plural, PC))
MESSAGE(gettext, (const char *text), (text), text, NULL)
MESSAGE(dgettext, (const char *domain, const char *text), (domain, text), text, NULL)
MESSAGE(dcgettext, (const char *domain, const char *text, int category), (domain, text, category),
	text, NULL)
MESSAGE(ngettext, (const char *text, const char *plural, unsigned long n), (text, plural, n), text,
	plural)
MESSAGE(dngettext, (const char *domain, const char *text, const char *plural, unsigned long n),
	(domain, text, plural, n), text, plural)
MESSAGE(dcngettext,
	(const char *domain, const char *text, const char *plural, unsigned long n, int category),
	(domain, text, plural, n, category), text, plural)
extern __typeof__(dcgettext) __dcgettext LIBC_ALIAS(dcgettext);

#define DOMAIN(name, parameters, arguments, value)                                                 \
	WRAP(char *, name, parameters, arguments, libc_hidden(HIDDEN_MESSAGES, value != NULL, PC); \
	     READS_TEXT(value), if (result) libc_appeared(result, rt_strlen(result) + 1, PC))
DOMAIN(textdomain, (const char *domain), (domain), domain)
DOMAIN(bindtextdomain, (const char *domain, const char *directory), (domain, directory), directory)
DOMAIN(bind_textdomain_codeset, (const char *domain, const char *codeset), (domain, codeset),
       codeset)

WRAP(nl_catd, catopen, (const char *name, int flags), (name, flags), READS_TEXT(name), NOTHING)
WRAP(char *, catgets, (nl_catd catalog, int set, int number, const char *text),
     (catalog, set, number, text), libc_object(HIDDEN_CATALOG, catalog, false, PC),
     if (result && result != text) libc_appeared(result, rt_strlen(result) + 1, PC))
WRAP(int, catclose, (nl_catd catalog), (catalog), libc_object(HIDDEN_CATALOG, catalog, true, PC),
     NOTHING)

/* ---- texts for numbers: an unknown number is put into a buffer of the calling thread ---- */

#define NUMBERED(name, parameters, arguments)                       \
	WRAP(char *, name, parameters, arguments, LOOKS_AT(LOCALE), \
	     if (result) libc_appeared(result, rt_strlen(result) + 1, PC))
NUMBERED(strerror, (int number), (number))
NUMBERED(strsignal, (int number), (number))
NUMBERED(strerror_l, (int number, locale_t locale), (number, locale))

WRAP(char *, strerror_r, (int number, char *to, size_t size), (number, to, size), LOOKS_AT(LOCALE);
     ROOM(to, size), if (result == to && size) WROTE_TEXT(to))
WRAP(int, __xpg_strerror_r, (int number, char *to, size_t size), (number, to, size),
     LOOKS_AT(LOCALE);
     ROOM(to, size), if (size) WROTE_TEXT(to))
