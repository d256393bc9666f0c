/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal can show; see terminal.h. */
#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 100
#define MIN_WIDTH 40

struct report_style terminal_style(int fd)
{
	struct report_style style = { .has_color = false, .width = DEFAULT_WIDTH };
	if (!isatty(fd))
		return style;
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	style.has_color = !(no_color && no_color[0]) && !(term && !strcmp(term, "dumb"));
	struct winsize size;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		style.width = size.ws_col > MIN_WIDTH ? size.ws_col : MIN_WIDTH;
	return style;
}
