/* kg-pulse-sink: see the header.
 *
 * The server resamples and mixes down to what its device has.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-pulse-sink.h"

#include "config.h"

#if KG_HAVE_PULSE

#include "kg-error.h"

#include <glib/gi18n.h>
#include <pulse/error.h>
#include <pulse/simple.h>

/* Of what is written ahead: long enough for a busy machine, short enough for a scrub. */
#define BUFFERED_MICROSECONDS 60000

typedef struct {
  pa_simple *simple;
  size_t frame_size; /* bytes of a sample of all channels */
} Pulse;

static gpointer
pulse_open (const KgSoundSink *sink, int rate, guint n_channels, GError **error)
{
  const pa_sample_spec spec = { PA_SAMPLE_FLOAT32NE, (uint32_t) rate, (uint8_t) MIN (n_channels, G_MAXUINT8) };
  /* A scrub is shorter than the buffer, and is heard all the same: playing begins with the first sample. */
  const pa_buffer_attr buffer = { (uint32_t) -1, (uint32_t) pa_usec_to_bytes (BUFFERED_MICROSECONDS, &spec),
                                  (uint32_t) pa_frame_size (&spec), (uint32_t) -1, (uint32_t) -1 };
  pa_channel_map map;
  Pulse *stream;
  pa_simple *simple;
  int problem;

  (void) sink;
  if (!pa_sample_spec_valid (&spec)) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "a sound of %d samples per second and %u channels cannot be played: the most are %d samples per second "
        "and %d channels",
        rate, n_channels, (int) PA_RATE_MAX, (int) PA_CHANNELS_MAX);
    return NULL;
  }
  /* The order in files: left, right, centre and so on. */
  pa_channel_map_init_extend (&map, n_channels, PA_CHANNEL_MAP_WAVEEX);
  simple =
      pa_simple_new (NULL, "Kineograph", PA_STREAM_PLAYBACK, NULL, _ ("Animation"), &spec, &map, &buffer, &problem);
  if (simple == NULL) {
    kg_set_error (error, KG_ERROR_IO, "the sound server cannot be reached (%s): start PulseAudio or PipeWire",
                  pa_strerror (problem));
    return NULL;
  }
  stream = g_new (Pulse, 1);
  stream->simple = simple;
  stream->frame_size = pa_frame_size (&spec);
  return stream;
}

static bool
pulse_write (gpointer stream, const float *samples, size_t n, GError **error)
{
  pa_simple *const simple = ((Pulse *) stream)->simple;
  int problem;

  if (pa_simple_write (simple, samples, n * ((Pulse *) stream)->frame_size, &problem) >= 0)
    return true;
  kg_set_error (error, KG_ERROR_IO, "the sound server does not answer (%s): play again", pa_strerror (problem));
  return false;
}

static double
pulse_get_delay (gpointer stream)
{
  int problem = 0;
  const pa_usec_t delay = pa_simple_get_latency (((Pulse *) stream)->simple, &problem);

  return problem == 0 ? 1e-6 * (double) delay : 0;
}

static void
pulse_flush (gpointer stream)
{
  /* A server that does not answer is noticed when something is written. */
  pa_simple_flush (((Pulse *) stream)->simple, NULL);
}

static void
pulse_close (gpointer stream)
{
  pa_simple_free (((Pulse *) stream)->simple);
  g_free (stream);
}

const KgSoundSink *
kg_pulse_sink_get (void)
{
  static const KgSoundSink sink = { pulse_open, pulse_write, pulse_get_delay, pulse_flush, pulse_close, NULL };

  return &sink;
}

#else

const KgSoundSink *
kg_pulse_sink_get (void)
{
  return NULL;
}

#endif
