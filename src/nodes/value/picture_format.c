/* value/picture_format: sizes, rates and amounts of data of film, television and digital video.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

#define MM_PER_INCH 25.4
/* Bits of a pixel where neither the user nor the format says more. */
#define DEFAULT_BITS 24

typedef struct {
  int format;
  int64_t scan;
  int64_t own_width;
  int64_t own_height;
  double own_rate;
  double bits;
  double compression;
  double seconds;
  double focal;
  int64_t width;
  int64_t height;
  double aspect;
  double pixel_aspect;
  double rate;
  double flashes;
  int64_t lines;
  double line_rate;
  int64_t frames;
  KgVector gate;
  double fov;
  double bytes_per_frame;
  double bytes_per_second;
  double bytes;
  KgTable *all;
} PictureFormat;

enum {
  FILM_8,
  FILM_SUPER_8,
  FILM_16,
  FILM_35,
  FILM_65,
  FILM_70,
  NTSC,
  PAL,
  SECAM,
  HDTV_720,
  HDTV_1080,
  D1,
  D2,
  D3,
  D5,
  D6,
  DIGITAL_BETACAM,
  DV,
  OWN,
  N_FORMATS
};

static const KgChoice picture_format_formats[] = {
  [FILM_8] = { "8mm", N_ ("Film: 8 mm") },
  [FILM_SUPER_8] = { "super-8", N_ ("Film: Super 8") },
  [FILM_16] = { "16mm", N_ ("Film: 16 mm") },
  [FILM_35] = { "35mm", N_ ("Film: 35 mm (Academy)") },
  [FILM_65] = { "65mm", N_ ("Film: 65 mm (IMAX camera)") },
  [FILM_70] = { "70mm", N_ ("Film: 70 mm") },
  [NTSC] = { "ntsc", N_ ("Television: NTSC") },
  [PAL] = { "pal", N_ ("Television: PAL") },
  [SECAM] = { "secam", N_ ("Television: SECAM") },
  [HDTV_720] = { "720p", N_ ("High definition: 1280 × 720") },
  [HDTV_1080] = { "1080", N_ ("High definition: 1920 × 1080") },
  [D1] = { "d1", N_ ("Digital video: D1, component 4:2:2") },
  [D2] = { "d2", N_ ("Digital video: D2, composite") },
  [D3] = { "d3", N_ ("Digital video: D3, composite") },
  [D5] = { "d5", N_ ("Digital video: D5, component 4:2:2") },
  [D6] = { "d6", N_ ("Digital video: D6, high definition") },
  [DIGITAL_BETACAM] = { "digital-betacam", N_ ("Digital video: Digital Betacam") },
  [DV] = { "dv", N_ ("Digital video: DV") },
  [OWN] = { "own", N_ ("As given") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (picture_format_formats, N_FORMATS);

typedef struct {
  double gate[2];     /* film: width and height in inches */
  int width, height;  /* pixels; film: 0 */
  int wide, high;     /* aspect of the whole picture; film: 0, that of the gate */
  int lines;          /* of a frame, with those of the retrace; 0: not scanned */
  int rate, per;      /* frames per so many seconds */
  int flashes;        /* how often each frame is lit: fields of interlaced video, wings of a projector's shutter */
  double bits;        /* of a pixel as it is recorded; 0: not digital */
  double samples;     /* bytes a second with those of the retrace, where all are recorded; 0: the picture's only */
  double compression; /* of what is recorded */
} Format;

/* What formats have in common: images of 4:3 in two fields, and those of 16:9. */
#define SCAN_525 .wide = 4, .high = 3, .lines = 525, .rate = 30000, .per = 1001, .flashes = 2
#define SCAN_625 .wide = 4, .high = 3, .lines = 625, .rate = 25, .per = 1, .flashes = 2
#define SCAN_750 .wide = 16, .high = 9, .lines = 750, .rate = 60000, .per = 1001, .flashes = 1
#define SCAN_1125 .wide = 16, .high = 9, .lines = 1125, .rate = 30000, .per = 1001, .flashes = 2
/* Four times the subcarrier of NTSC, 315/88 MHz. */
#define SAMPLES_COMPOSITE (4 * 315e6 / 88)
#define SAMPLES_COMPONENT 27e6

static const Format formats[OWN] = {
  [FILM_8] = { { 0.192, 0.145 }, .rate = 16, .per = 1, .flashes = 3 },
  [FILM_SUPER_8] = { { 0.224, 0.163 }, .rate = 18, .per = 1, .flashes = 3 },
  [FILM_16] = { { 0.404, 0.295 }, .rate = 24, .per = 1, .flashes = 2 },
  [FILM_35] = { { 0.864, 0.630 }, .rate = 24, .per = 1, .flashes = 2 },
  [FILM_65] = { { 2.772, 2.072 }, .rate = 48, .per = 1, .flashes = 1 },
  [FILM_70] = { { 1.912, 0.870 }, .rate = 24, .per = 1, .flashes = 2 },
  [NTSC] = { .width = 640, .height = 480, SCAN_525 },
  [PAL] = { .width = 768, .height = 576, SCAN_625 },
  [SECAM] = { .width = 768, .height = 576, SCAN_625 },
  [HDTV_720] = { .width = 1280, .height = 720, SCAN_750 },
  [HDTV_1080] = { .width = 1920, .height = 1080, SCAN_1125 },
  [D1] = { .width = 720, .height = 480, SCAN_525, .bits = 16, .samples = SAMPLES_COMPONENT, .compression = 1 },
  [D2] = { .width = 768, .height = 480, SCAN_525, .bits = 8, .samples = SAMPLES_COMPOSITE, .compression = 1 },
  [D3] = { .width = 768, .height = 480, SCAN_525, .bits = 8, .samples = SAMPLES_COMPOSITE, .compression = 1 },
  [D5] = { .width = 720, .height = 480, SCAN_525, .bits = 16, .samples = SAMPLES_COMPONENT, .compression = 1 },
  [D6] = { .width = 1920, .height = 1080, SCAN_1125, .bits = 16, .compression = 1 },
  [DIGITAL_BETACAM] = { .width = 720, .height = 480, SCAN_525, .bits = 16, .compression = 2 },
  [DV] = { .width = 720, .height = 480, SCAN_525, .bits = 12, .compression = 5 },
};

/* What a format says of itself.  Film is scanned at so many pixels across. */
static void
picture_format_fill (PictureFormat *n, int which)
{
  const Format *f = &formats[which];
  const bool film = f->gate[0] > 0;

  n->aspect = film ? f->gate[0] / f->gate[1] : (double) f->wide / f->high;
  n->width = film ? n->scan : f->width;
  n->height = film ? MAX ((int64_t) floor ((double) n->scan / n->aspect + 0.5), 1) : f->height;
  n->pixel_aspect = n->aspect * (double) n->height / (double) n->width;
  n->rate = (double) f->rate / f->per;
  n->flashes = f->flashes * n->rate;
  n->lines = f->lines;
  n->gate = (KgVector){ MM_PER_INCH * f->gate[0], MM_PER_INCH * f->gate[1], 0 };
}

static void
picture_format_count (PictureFormat *n, const Format *f)
{
  const double bits = n->bits > 0 ? n->bits : f != NULL && f->bits > 0 ? f->bits : DEFAULT_BITS;
  const double own = f != NULL && f->compression > 0 && n->bits <= 0 ? f->compression : 1;
  const double samples = f != NULL && n->bits <= 0 ? f->samples : 0;

  n->line_rate = (double) n->lines * n->rate;
  n->bytes_per_second = (samples > 0 ? samples : (double) n->width * (double) n->height * bits / 8 * n->rate) /
                        (own * n->compression);
  n->bytes_per_frame = n->bytes_per_second / n->rate;
  n->bytes = n->bytes_per_second * n->seconds;
  n->frames = (int64_t) floor (n->rate * n->seconds + 0.5);
}

/* A row of each format that has a name. */
static bool
picture_format_list (PictureFormat *n, GError **error)
{
  static const char *const names[] = { "width",   "height", "aspect",    "rate",
                                       "flashes", "lines",  "line_rate", "megabytes_per_second" };
  double *cells;

  n->all = kg_table_new (G_N_ELEMENTS (names), names, OWN, error);
  if (n->all == NULL)
    return false;
  cells = kg_table_edit (n->all);
  for (int k = 0; k < OWN; k++) {
    PictureFormat row = { .scan = n->scan, .compression = 1, .seconds = 1 };

    picture_format_fill (&row, k);
    picture_format_count (&row, &formats[k]);
    *cells++ = (double) row.width;
    *cells++ = (double) row.height;
    *cells++ = row.aspect;
    *cells++ = row.rate;
    *cells++ = row.flashes;
    *cells++ = (double) row.lines;
    *cells++ = row.line_rate;
    *cells++ = row.bytes_per_second / 1e6;
  }
  return true;
}

static bool
picture_format_evaluate (PictureFormat *n, const KgContext *ctx, GError **error)
{
  const Format *f = n->format == OWN ? NULL : &formats[n->format];

  (void) ctx;
  if (f != NULL)
    picture_format_fill (n, n->format);
  else {
    n->width = n->own_width;
    n->height = n->own_height;
    n->aspect = (double) n->width / (double) n->height;
    n->pixel_aspect = 1;
    n->rate = n->flashes = n->own_rate;
    n->lines = n->height;
  }
  picture_format_count (n, f);
  if (n->gate.x > 0)
    n->fov = 2 * atan (n->gate.y / (2 * n->focal));
  return picture_format_list (n, error);
}

static const KgSlot picture_format_slots[] = {
  KG_INPUT (PictureFormat, format, CHOICE, .label = N_ ("Format"), .choices = picture_format_formats, .def = HDTV_1080,
            .help = N_ ("A format of film, television or digital video.")),
  KG_INPUT (PictureFormat, scan, INTEGER, .label = N_ ("Scan"), .unit = KG_PIXELS, .def = 2048, .min = 1, .max = 65535,
            .soft_max = 8192, .shown_when = "format=8mm|super-8|16mm|35mm|65mm|70mm",
            .help = N_ ("Pixels across with which film is scanned.")),
  KG_INPUT (PictureFormat, own_width, INTEGER, .label = N_ ("Own width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = 65535, .soft_max = 4096, .shown_when = "format=own", .help = N_ ("Pixels across.")),
  KG_INPUT (PictureFormat, own_height, INTEGER, .label = N_ ("Own height"), .unit = KG_PIXELS, .def = 480, .min = 1,
            .max = 65535, .soft_max = 4096, .shown_when = "format=own", .help = N_ ("Pixels down.")),
  KG_INPUT (PictureFormat, own_rate, NUMBER, .label = N_ ("Own rate"), .unit = KG_HERTZ, .def = 30, .min = 0.01,
            .max = 1000, .soft_max = 120, .shown_when = "format=own", .help = N_ ("Frames per second.")),
  KG_INPUT (PictureFormat, bits, NUMBER, .label = N_ ("Bits per pixel"), .min = 0, .max = 1024, .soft_max = 64,
            .group = N_ ("Data"),
            .help = N_ ("Bits per pixel: 24 for 8 per colour. 0: as the format records them, or 24 for formats that "
                        "are not digital.")),
  KG_INPUT (
      PictureFormat, compression, NUMBER, .label = N_ ("Compression"), .def = 1, .min = 0.001, .max = 1e6,
      .soft_min = 1, .soft_max = 500, .group = N_ ("Data"),
      .help = N_ ("How many times smaller the data become: 2 for lossless compression, up to 500 for slow networks.")),
  KG_INPUT (PictureFormat, seconds, NUMBER, .label = N_ ("Length"), .unit = KG_SECONDS, .def = 60, .min = 0, .max = 1e9,
            .soft_max = 7200, .group = N_ ("Data"), .help = N_ ("Length of the movie.")),
  KG_INPUT (PictureFormat, focal, NUMBER, .label = N_ ("Focal length (mm)"), .def = 35, .min = 0.01, .max = 1e5,
            .soft_min = 5, .soft_max = 300, .shown_when = "format=8mm|super-8|16mm|35mm|65mm|70mm",
            .help = N_ ("Focal length of the lens of a film camera, in millimetres.")),
  KG_OUTPUT (PictureFormat, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS,
             .help = N_ ("Pixels across. For analogue television, the number that makes them square.")),
  KG_OUTPUT (PictureFormat, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS,
             .help = N_ ("Pixels down, or lines that are seen.")),
  KG_OUTPUT (PictureFormat, aspect, NUMBER, .label = N_ ("Aspect"), .help = N_ ("Width of the image over its height.")),
  KG_OUTPUT (PictureFormat, pixel_aspect, NUMBER, .label = N_ ("Pixel aspect"),
             .help = N_ ("Width of a pixel over its height.")),
  KG_OUTPUT (PictureFormat, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ,
             .help = N_ ("Frames per second, exact: 30000/1001 for NTSC.")),
  KG_OUTPUT (
      PictureFormat, flashes, NUMBER, .label = N_ ("Flashes"), .unit = KG_HERTZ,
      .help = N_ (
          "Number of flashes of light per second: fields of television, or frames of film that are each shown two or "
          "three times.")),
  KG_OUTPUT (PictureFormat, lines, INTEGER, .label = N_ ("Lines"),
             .help = N_ ("Lines of a frame, with those of the retrace; 0 for film.")),
  KG_OUTPUT (PictureFormat, line_rate, NUMBER, .label = N_ ("Line rate"), .unit = KG_HERTZ,
             .help = N_ ("Lines per second.")),
  KG_OUTPUT (PictureFormat, frames, INTEGER, .label = N_ ("Frames"), .help = N_ ("Number of frames of the length.")),
  KG_OUTPUT (PictureFormat, gate, VECTOR, .label = N_ ("Gate"),
             .help = N_ ("Size of a frame on film, in millimetres; zero for video.")),
  KG_OUTPUT (PictureFormat, fov, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES,
             .help = N_ ("Vertical field of view of the film camera, for Camera; zero for video.")),
  KG_OUTPUT (PictureFormat, bytes_per_frame, NUMBER, .label = N_ ("Bytes per frame"), .help = N_ ("Size of a frame.")),
  KG_OUTPUT (PictureFormat, bytes_per_second, NUMBER, .label = N_ ("Bytes per second"), .help = N_ ("The data rate.")),
  KG_OUTPUT (PictureFormat, bytes, NUMBER, .label = N_ ("Bytes"), .help = N_ ("Size of the whole length.")),
  KG_OUTPUT (PictureFormat, all, TABLE, .label = N_ ("All formats"),
             .help = N_ ("A row for each format that has a name.")),
};

KG_NODE (
    value, picture_format, PictureFormat, .label = N_ ("Picture Format"), .version = 1, .since = "0.1",
    .tags = N_ ("film gate ntsc pal secam hdtv imax d1 dv betacam data rate calculator bandwidth frame rate aspect"),
    .formula = "bytes/s = width · height · bits/8 · rate / compression;  fov = 2 atan (gate / 2 f)",
    .source = "Parent, Computer Animation, B.8, tables B.1 and B.2; ITU-R BT.601 and BT.709; SMPTE 170M",
    .help = N_ (
        "Looks up the size, rate and shape of a format of film, television or digital video, and computes the amount "
        "of data of a movie in it: link the results to Reformat, Camera and Text."));
