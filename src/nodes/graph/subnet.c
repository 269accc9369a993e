/* graph/subnet: a node that holds a graph.
 * The core does all the work (KG_ROLE_SUBNET): its slots are the interface nodes inside, and asking for one of
 * its outputs goes straight to the node that makes it, so evaluate is never called.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  bool evaluated;
} Subnet;

static const KgSlot subnet_slots[1];

static bool
subnet_evaluate (Subnet *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->evaluated = true;
  return true;
}

KG_NODE (
    graph, subnet, Subnet, .label = N_ ("Sub-graph"), .version = 1, .since = "0.1", .n_slots = 0,
    .role = KG_ROLE_SUBNET, .tags = N_ ("group network nested collapse macro container"),
    .help = N_ (
        "Contains a graph of its own. Put Graph Input and Graph Output nodes inside: each becomes an input or an output of this node, under its name. Use it to keep a part of a large graph together, or as the first step to a preset."));
