/* SPDX-License-Identifier: Apache-2.0 */
/* Orders by names of files, by locks on files, and by notices of changes. */
#ifndef HEDDLE_RUN_FILES_H
#define HEDDLE_RUN_FILES_H

#include "run/channel.h"

/* Around a call that opens a path; the second one returns the descriptor and keeps errno. */
void files_will_open(struct thr *t, const char *path, int flags);
int files_opened(struct thr *t, const char *path, int fd);
/* Before a close, which lets go of locks. */
void files_will_close(struct thr *t, int fd);
/* Something goes to the file behind a channel, and inotify may tell of it. */
void files_changed(struct thr *t, uint32_t channel);

#endif
