/* render/file: names a file for the images that arrive here.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgImage *image;
  const KgSound *sound;
  const char *path;
  int64_t first;
  int64_t last;
  KgImage *output;
} File;

static bool
file_evaluate (File *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_image_ref (n->image);
  return true;
}

static const KgSlot file_slots[] = {
  KG_INPUT (File, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to write.")),
  KG_INPUT (File, sound, SOUND, .label = N_ ("Sound"), .optional = true,
            .help = N_ ("The sound of this movie, cut or extended with silence to its length, used instead of the "
                        "sound of the graph (Sound Output). The file can also be one of sound alone (.wav, .flac, "
                        ".ogg, .opus, .mp3, .m4a).")),
  KG_INPUT (
      File, path, TEXT, .label = N_ ("File"), .fixed = true, .def_text = "render.mp4",
      .help = N_ (
          "A movie (.mp4, .webm, .mov, .mkv, .avi, .gif, .apng, .webp) or numbered images (name.%04d.png, name.%04d.exr), relative to the folder of the graph.")),
  KG_INPUT (
      File, first, INTEGER, .label = N_ ("First frame"), .fixed = true, .soft_min = 1, .soft_max = 1000,
      .help =
          N_ ("First frame to write. While First frame and Last frame are both 0, the frames of the graph are used.")),
  KG_INPUT (File, last, INTEGER, .label = N_ ("Last frame"), .fixed = true, .soft_min = 1, .soft_max = 1000,
            .help = N_ ("Last frame to write.")),
  KG_OUTPUT (File, output, IMAGE, .label = N_ ("Image"), .help = N_ ("The same image, passed on.")),
};

KG_NODE (
    render, file, File, .label = N_ ("Write File"), .version = 1, .since = "0.1", .role = KG_ROLE_FILE_OUTPUT,
    .tags = N_ ("save export write movie film png exr mp4 mkv wav sound audio output"),
    .help = N_ (
        "Sets the file to which the linked images are written. They are written when the graph is rendered without naming a file: by \"kineo render\", or from the application."));
