/* SPDX-License-Identifier: Apache-2.0 */
/* Edges through names of files, locks on files, and inotify. */
#ifndef HEDDLE_RUN_FILES_H
#define HEDDLE_RUN_FILES_H

#include <stdint.h>

struct thr;

/* Around a call that opens a path; the second one returns the descriptor and keeps errno. */
void files_before_open(struct thr *t, const char *path, int flags);
int files_opened(struct thr *t, const char *path, int fd);
/* Before a close, which releases file locks. */
void files_before_close(struct thr *t, int fd);
/* The file of a channel is written, and inotify may report it. */
void files_changed(struct thr *t, uint32_t channel);

#endif
