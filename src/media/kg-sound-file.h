/* kg-sound-file: sound out of files that FFmpeg reads: .wav, .flac, .ogg, .mp3, .m4a and more, and the sound of movies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-sound.h"

G_BEGIN_DECLS

/* All of it, from the first frame of the graph on.  It is read by a program of its own (kg-import.h).  folders: (nullable)
 * where files may be that the file names, besides its own folder.  rate: samples per second to convert it to; 0: as the
 * file has them.  warnings: (nullable) gets char *.  NULL without an error when the monitor (nullable) cancelled.
 * (transfer full) (nullable) */
KgSound *kg_sound_load (const char *path, const char *const *folders, int rate, const KgProgressMonitor *monitor,
                        GPtrArray *warnings, GError **error);

G_END_DECLS
