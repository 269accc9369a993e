/* kg-channel-private: the inside of channels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"
#include "kg-hash.h"

/* The tangents of a key as evaluated: handles in the variable's direction (>= 0) and slopes. */
typedef struct {
  double in_reach, out_reach;
  double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH];
} KgSlopes;

struct _KgChannel {
  gatomicrefcount refs;
  guint width;
  bool rotation;
  KgExtend before, after;
  gsize n; /* keys, samples or pieces */
  KgKey *keys;
  KgSlopes *slopes; /* one for each key */
  double *samples;
  double start, rate;
  guint degree;
  double *breaks;       /* n + 1 */
  double *coefficients; /* n * (degree + 1) */
  const KgFunction *function;
  double *parameters;
  double low, high;
};

/* Works out the slopes of all keys. */
void kg_channel_prepare (KgChannel *channel);
