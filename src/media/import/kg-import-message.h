/* kg-import-message: what a program that reads foreign files (src/media/import) and the one that started it say to each
 * other.
 *
 * The two have a socket between them that keeps messages apart.  A request is answered by any number of warnings and one
 * result or failure.  What is large comes with the result, as a descriptor of sealed memory: it can no longer change
 * while it is checked and copied.  Where a limit on the size of files (ulimit -f) forbids such memory, it comes through a
 * pipe.  The reader is started for a file that may have taken it over: nothing that it says is
 * believed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

G_BEGIN_DECLS

/* The descriptor of the reader's end. */
#define KG_IMPORT_SOCKET 3

#define KG_IMPORT_MAX_TEXT 4096
#define KG_IMPORT_MAX_NAME 32
#define KG_IMPORT_MAX_PART 256
#define KG_IMPORT_MAX_ATTRIBUTES 32

typedef enum {
  KG_IMPORT_READ,    /* a mesh, an image or a sound */
  KG_IMPORT_COMMENT, /* of an image */
  KG_IMPORT_OPEN,    /* a movie: how long it is */
  KG_IMPORT_FRAME,   /* of a movie */
  KG_IMPORT_LIST,    /* the operations on images that a library has */
  KG_IMPORT_APPLY,   /* one of them, to what comes with the request */
} KgImportOperation;

typedef struct {
  uint32_t operation;
  uint32_t space, join;          /* meshes: see kg_mesh_load; profiles: to the device, intent */
  uint32_t rate;                 /* sounds: samples per second; 0: as the file has them */
  int64_t frame;                 /* movies: from 0 */
  uint64_t bytes;                /* of what comes with it */
  char part[KG_IMPORT_MAX_PART]; /* images: which part or layer of the file; empty: the first with colours */
} KgImportRequest;

typedef enum { KG_IMPORT_RESULT, KG_IMPORT_WARNING, KG_IMPORT_FAILURE, KG_IMPORT_PROGRESS } KgImportKind;

typedef struct {
  char name[KG_IMPORT_MAX_NAME];
  uint32_t domain, scalar, size; /* as in kg-geometry.h; scalar: float or int */
} KgImportAttribute;

/* In memory one after the other: the arrays of the attributes, a uint32_t for each primitive, the vertices. */
typedef struct {
  uint64_t n_points, n_primitives, n_vertices;
  uint32_t n_attributes;
  KgImportAttribute attributes[KG_IMPORT_MAX_ATTRIBUTES];
} KgImportMesh;

/* Of a primitive: its vertices, and whether it is an open line. */
#define KG_IMPORT_POLYLINE ((uint32_t) 1 << 31)

typedef enum {
  KG_IMPORT_RGB8,  /* sRGB-encoded, unpremultiplied, without gaps */
  KG_IMPORT_RGBA8, /* the same */
  KG_IMPORT_RGBA16,
  KG_IMPORT_FLOAT, /* RGBA as in kg-image.h */
  KG_IMPORT_FLOAT_AND_DEPTH,
  KG_IMPORT_N_LAYOUTS
} KgImportLayout;

typedef struct {
  int64_t width, height;
  double aspect;
  uint32_t layout;
} KgImportImage;

typedef struct {
  int64_t n_frames;
  double rate;
  uint64_t bytes;
} KgImportMovie;

/* In memory: interleaved floats. */
typedef struct {
  int64_t rate, n_channels;
  uint64_t n_samples; /* of each channel */
} KgImportSound;

/* In memory: floats, see kg-profile-file.h. */
typedef struct {
  uint32_t is_table, size;
} KgImportProfile;

typedef struct {
  uint32_t kind;
  uint32_t code;                 /* of a failure: KgError */
  uint64_t bytes;                /* of what comes with it */
  char text[KG_IMPORT_MAX_TEXT]; /* of a warning, a failure, or the comment of an image; ends with 0 */
  union {
    KgImportMesh mesh;
    KgImportImage image;
    KgImportMovie movie;
    KgImportSound sound;
    KgImportProfile profile;
    double done; /* of a progress: 0 to 1 */
  };
} KgImportReply;

/* Sends a request or a reply of that many bytes, with a descriptor unless it is -1.  False if the other end is closed. */
static inline bool
kg_import_send (int channel, const void *message, size_t bytes, int with)
{
  struct iovec part = { .iov_base = (void *) (size_t) message, .iov_len = bytes };
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { .bytes = { 0 } };
  struct msghdr envelope = { .msg_iov = &part, .msg_iovlen = 1 };

  if (with >= 0) {
    envelope.msg_control = &control;
    envelope.msg_controllen = sizeof control;
    control.header =
        (struct cmsghdr){ .cmsg_len = CMSG_LEN (sizeof with), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
    memcpy (CMSG_DATA (&control.header), &with, sizeof with);
  }
  while (sendmsg (channel, &envelope, MSG_NOSIGNAL) < 0)
    if (errno != EINTR)
      return false;
  return true;
}

/* Receives a request or a reply of at most that many bytes; as recvmsg.  with: (out) a descriptor that came with it, or -1.
 * flags: (out) as msg_flags. */
static inline ssize_t
kg_import_receive (int channel, void *message, size_t bytes, int *with, int *flags)
{
  struct iovec part = { .iov_base = message, .iov_len = bytes };
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control;
  struct msghdr envelope = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  const ssize_t n = recvmsg (channel, &envelope, MSG_CMSG_CLOEXEC);
  const struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR (&envelope) : NULL;

  *with = -1;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN (sizeof *with))
    memcpy (with, CMSG_DATA (header), sizeof *with);
  *flags = envelope.msg_flags;
  return n;
}

G_END_DECLS
