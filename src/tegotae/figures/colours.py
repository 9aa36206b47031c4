"""The colours of figures: they stay apart for colour-blind readers and in grey print."""

INK = "#22303c"
QUIET = "#7b8794"
HAIR = "#d9dee3"
STUCK = "#eef1f4"
BLUE, VERMILION, GREEN, AMBER, PLUM, SKY = "#1f6fb2", "#d1495b", "#2a9d74", "#e09f3e", "#7b5ea7", "#56a3c9"
PALETTE = (BLUE, VERMILION, GREEN, AMBER, PLUM, SKY)

# One colour a meaning, in every figure.
MOTION, FORCE, FRICTION = BLUE, VERMILION, AMBER
