/* kg-hash: 128-bit fingerprints of node settings and values.
 * Not cryptographic: single numbers go through two independent 64-bit lanes with rounds in the manner of XXH64
 * (Collet 2012), buffers and texts through XXH3, so that an accidental collision among 10^9 values has odds under 10^-20.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

#include <string.h>

G_BEGIN_DECLS

/* What a fingerprint is of.  It begins with one of these, so that fingerprints of different things differ even where
 * the numbers that go into them are the same. */
typedef enum {
  KG_HASH_VALUE = 1,      /* a value; with its kind */
  KG_HASH_INPUT,          /* what an input is set to, and everything upstream of it; with the kind of its source */
  KG_HASH_OUTPUTS,        /* the outputs of a node: its type and inputs; with whether it is bypassed */
  KG_HASH_TYPE,           /* a node type: its id and version */
  KG_HASH_JOB_INPUT,      /* the value that an input of a job has; with the index of its slot */
  KG_HASH_KEYED_MOTION,   /* the motion that keys of an input stand for */
  KG_HASH_CHANNEL,        /* a channel, to compare it with another */
  KG_HASH_ENVIRONMENT,    /* what every node of a graph may read: its frames and its folder */
  KG_HASH_RESULT,         /* a result in the cache: of a node or an input, at a time */
  KG_HASH_SIMULATION,     /* a simulation, whatever the frame; its states add the frame */
  KG_HASH_STATE_FILE,     /* the file of a state in the folder of the cache; outlives the program */
  KG_HASH_STATE_SUM,      /* the check sum at the end of that file */
  KG_HASH_RENDERED_FILES, /* the files that a rendered image is made of; written into the image */
  KG_HASH_IMAGE_FILE,     /* a decoded image file; memo of image/import */
  KG_HASH_MOVIE_FILE,     /* an open movie; memo of image/movie */
  KG_HASH_ACTORS,         /* a program of motion/actors that has been run; memo */
  KG_HASH_TRACKS,         /* a text of motion/tracks that has been read; memo */
  KG_HASH_DISPLAY,        /* what the window shows, to see whether it has changed */
  KG_HASH_SOUND_FILE,     /* a decoded sound file; memo of sound/import */
  KG_HASH_SOUND_LEVEL,    /* the level of a sound over time; memo of sound/level */
  KG_HASH_SURFACE_BLOCK,  /* a block of the lattice through which a surface passes; memo of soft/polygonize */
} KgHashDomain;

/* The beginning of a fingerprint.  detail: a number that distinguishes fingerprints of the same domain. */
static inline KgHash
kg_hash_begin (KgHashDomain domain, uint64_t detail)
{
  return (KgHash){ domain, detail };
}

static inline uint64_t
kg_hash_mix (uint64_t x)
{
  x ^= x >> 33;
  x *= UINT64_C (0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C (0xc4ceb9fe1a85ec53);
  return x ^ (x >> 33);
}

static inline uint64_t
kg_hash_rotate (uint64_t x, int bits)
{
  return x << bits | x >> (64 - bits);
}

/* Each round maps a lane one to one, for any x, and maps x one to one, for any lane: two different words never give
 * the same lane at once. */
static inline KgHash
kg_hash_uint (KgHash h, uint64_t x)
{
  h.a = kg_hash_rotate (h.a + x * UINT64_C (0xc2b2ae3d27d4eb4f), 31) * UINT64_C (0x9e3779b185ebca87) + 1;
  h.b = kg_hash_rotate (h.b ^ x * UINT64_C (0xd1b54a32d192ed03), 27) * UINT64_C (0xff51afd7ed558ccd) + 1;
  return h;
}

/* For tables, which look at the lowest bits. */
static inline unsigned
kg_hash_fold (KgHash h)
{
  return (unsigned) (h.a >> 32 ^ h.b >> 29);
}

/* -0 and 0 are one number. */
static inline KgHash
kg_hash_double (KgHash h, double x)
{
  uint64_t bits;

  x += 0.0;
  memcpy (&bits, &x, sizeof bits);
  return kg_hash_uint (h, bits);
}

static inline KgHash
kg_hash_join (KgHash h, KgHash other)
{
  return kg_hash_uint (kg_hash_uint (h, other.a), other.b);
}

/* length bytes, and the length: their XXH3 hash of 128 bits (Collet 2019), which is the same on every machine. */
KgHash kg_hash_bytes (KgHash h, const void *data, size_t length);
/* n numbers; as for one, -0 and 0 are the same. */
KgHash kg_hash_doubles (KgHash h, const double *x, size_t n);

static inline KgHash
kg_hash_text (KgHash h, const char *text)
{
  return text == NULL ? kg_hash_uint (h, 0) : kg_hash_bytes (h, text, strlen (text));
}

/* A sum: the same in any order. */
static inline KgHash
kg_hash_add (KgHash sum, KgHash h)
{
  sum.a += kg_hash_mix (h.a);
  sum.b += kg_hash_mix (h.b);
  return sum;
}

static inline bool
kg_hash_equal (KgHash x, KgHash y)
{
  return x.a == y.a && x.b == y.b;
}

static inline bool
kg_hash_is_zero (KgHash x)
{
  return x.a == 0 && x.b == 0;
}

/* For g_hash_table_new: keys that point to a KgHash. */
static inline guint
kg_hash_table_hash (gconstpointer key)
{
  return kg_hash_fold (*(const KgHash *) key);
}

static inline gboolean
kg_hash_table_equal (gconstpointer a, gconstpointer b)
{
  return kg_hash_equal (*(const KgHash *) a, *(const KgHash *) b);
}

G_END_DECLS
