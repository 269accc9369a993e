/* kg-sound: samples of a pressure over time, at a place on the time line of the graph.
 *
 * Sample i of every channel is heard at (start + i) / rate seconds after the first frame of the graph; before the first and
 * after the last sample there is silence.  Full scale is -1 to 1; larger samples are kept until they are written.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-buffer.h"
#include "kg-hash.h"
#include "kg-types.h"

G_BEGIN_DECLS

/* Samples per second of what is made, unless asked otherwise. */
#define KG_SOUND_USUAL_RATE 48000
#define KG_SOUND_MAX_RATE 768000
#define KG_SOUND_MAX_CHANNELS 64
/* Of all channels together: 2 GB. */
#define KG_SOUND_MAX_SAMPLES ((uint64_t) 1 << 29)
/* Of a start, and of a start with the samples after it. */
#define KG_SOUND_MAX_POSITION ((int64_t) 1 << 52)

/* A rate, a number of channels and of samples of each that a sound can have; otherwise KG_ERROR_LIMIT. */
bool kg_sound_check (int64_t rate, int64_t n_channels, uint64_t n_samples, GError **error);
/* Silence of n_samples (of each channel; 0 is fine) at a rate in samples per second.  start: within KG_SOUND_MAX_POSITION.
 * (transfer full) (nullable) */
KgSound *kg_sound_new (int64_t rate, int64_t n_channels, int64_t start, uint64_t n_samples, GError **error);
KgSound *kg_sound_ref (const KgSound *sound);
void kg_sound_unref (KgSound *sound);
void kg_sound_make_writable (KgSound **sound);

int kg_sound_get_rate (const KgSound *sound);
guint kg_sound_get_n_channels (const KgSound *sound);
/* Of each channel. */
size_t kg_sound_get_n_samples (const KgSound *sound);
/* In samples from the first frame of the graph; negative before it. */
int64_t kg_sound_get_start (const KgSound *sound);
void kg_sound_set_start (KgSound *sound, int64_t start);

/* Interleaved: the samples of all channels at one time, then the next. */
const float *kg_sound_get_samples (const KgSound *sound);
/* (nullable) NULL when memory runs out.  The sound must be the caller's alone. */
float *kg_sound_edit_samples (KgSound *sound);
/* The sample that is heard so many seconds after the first frame, rounded: what lies between two frames is as long as they
 * are, without a gap.  Times beyond KG_SOUND_MAX_POSITION are there. */
int64_t kg_sound_find_sample (const KgSound *sound, double seconds);
/* Copies n samples of each channel from position first (counted as the start is) on, with silence where there is no sound. */
void kg_sound_copy_samples (const KgSound *sound, int64_t first, size_t n, float *samples);

/* The outline of a sound.  lowest and highest: n numbers each, the extremes of all channels in n equal spans of the time between
 * from and to, in seconds.  A span without a sample has the nearest one; where there is no sound both are 0. */
void kg_sound_find_extremes (const KgSound *sound, double from, double to, size_t n, double *lowest, double *highest);

bool kg_sound_equal (const KgSound *a, const KgSound *b);
void kg_sound_each_buffer (const KgSound *sound, KgBufferVisit visit, gpointer data);
bool kg_sound_check_finite (const KgSound *sound, GError **error);
KgHash kg_sound_get_fingerprint (const KgSound *sound);
void kg_sound_set_fingerprint (KgSound *sound, KgHash fingerprint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgSound, kg_sound_unref)

G_END_DECLS
