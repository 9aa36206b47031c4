"""The arrays that the stepping kernels pass around, by name."""

from collections import namedtuple

# A tree by itself: see `TreeArrays`. g is gravity.
Model = namedtuple("Model", "parent kind qi vi C g")

# What acts in the joints, one entry a speed. damping inf locks. law < 0: no friction; else its parameters begin at
# numbers[place]. stiffness, viscosity: K and B of its element. gain, rate_gain: a servo.
Joints = namedtuple("Joints", "damping gain rate_gain law place numbers stiffness viscosity")

# What friction in the joints remembers: stretch e, mode (0 sticks, else the sign of its slip), and of the last slip the
# friction r, how it rises (slope) and the speed it was taken at. force is what it exerts on the joint.
Friction = namedtuple("Friction", "e mode r slope at force")

# What may touch, a row a pair: which = (body, body of the surface, shape), contacts = see columns below.
# A ball of RADIUS (0: a point) at PLACE in the frame of its body, and a surface of a shape with SHAPE numbers, whose
# frame stands at WHERE, TURNED in the frame of its body (-1: the world). Elements: K, BETA along the normal, K_T and
# BETA_T along the surface, MU. A limit of a joint is a pair of its body and what carries it: its SHAPE numbers are the
# LIMIT and the SIGN of the way out, K and BETA those of the joint's coordinate; it has no MU, and no place.
BODY, ON, KIND = 0, 1, 2
PLACE, RADIUS, WHERE, TURNED, K, BETA, MU, K_T, BETA_T, SHAPE = 0, 3, 4, 7, 16, 17, 18, 19, 20, 21
LIMIT, SIGN = 21, 22

# Rows of a contact's memory: e, stretch a and last force as vectors in the frame of the surface's body.
E, STRETCH, FORCE, TOUCHING = 0, 1, 4, 7
# Where any pair has a restitution, a column more of both: its restitution, < 0 for none; and 1 where it is in lasting
# touch, 0 where it is open, also if it bounced in the last tick.
RESTITUTION, HELD = 24, 7

# Rows of where a pair is in this tick: gap, point, and three directions (normal, two tangents) in the world.
GAP, POINT, AXES, PLACES = 0, 3, 6, 15

# The dual of a tick: rows C, b, f of `columns`; blocks = (kind, first row, owner) where the owner is a pair, or
# -1 - speed for a joint's friction; active: which pairs take part; fresh: the speeds without them. A row of levers is
# the wrench of a unit of its force: on what touches, and on the body of the surface. root is the body at the foot of
# each one's tree: trees answer apart.
C, B, F = 0, 1, 2
KINDS, FIRST, OWNER = 0, 1, 2
