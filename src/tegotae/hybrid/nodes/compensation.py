"""Delay taken back: the loop's delay identified, the contact's stiffness identified, the force brought up to date.

A force that comes late belongs to a pose that is past. The contact pushes with k per metre, so what it would say now is
the old force plus k times how far the bodies have come since; and if the table is sent to where the bodies *will* be
when its answer arrives, there is little left to correct. Both need the delay and k; both are watched all the time.

The pose that a force belongs to is the one that was commanded: the bodies press into each other as far as the table is
told to go, and the give of its servo is part of the contact. Along the normal only: depth x counts into the surface,
N >= 0 is the push that resists it. N = k (x - onset) + c x'; a negative c is no damper but a table that answers late,
by -c/k, and that delay is taken back like any other.
"""

from __future__ import annotations

from tegotae import checks

_SLOW = 0.1  # share of a new delay that is believed at once
_ROLL = 2.5e-4  # s, steps in which the contact is rolled forward
_REMEMBERED = 128  # commands
_BRIDGED = 6  # periods that a table may go on by itself
_LAG_MEMORY = 0.99
_FARTHEST = 0.05  # s, most that the table is sent ahead
_LATEST = 0.05  # s, largest c/k that is believed


class ContactEstimate:
    """N = k (x - onset) + c x' from what is felt, by recursive least squares, starting from what is expected.

    Expected are a stiffness k [N/m], > 0, and a damping c [N·s/m]; the noise is that of the force [N], the ringing of a
    plate that hits included.
    """

    def __init__(self, *, stiffness: float, damping: float = 0.0, noise: float = 1.0) -> None:
        owner, remedy = "ContactEstimate", "Give what the table and its probe are expected to have."
        self._expected = k = checks.positive(owner, "stiffness", stiffness, "N/m", remedy)
        c = checks.number(owner, "damping", damping, "N·s/m", "Use 0 if nothing is known.")
        self._noise = checks.positive(owner, "noise", noise, "N", "Such as 1.0.") ** 2
        self._theta = [k, c, 0.0]  # k, c, and the force at depth 0
        self._P = [[0.0] * 3 for _ in range(3)]
        self.begin(onset=0.0)

    @property
    def stiffness(self) -> float:
        """k [N/m]; within a fifth and five times what was expected."""
        return min(max(self._theta[0], 0.2 * self._expected), 5.0 * self._expected)

    @property
    def damping(self) -> float:
        """c [N·s/m], >= 0."""
        return max(self._theta[1], 0.0)

    @property
    def lag(self) -> float:
        """How late the table answers in contact [s], >= 0."""
        return max(-self._theta[1], 0.0) / self.stiffness

    @property
    def onset(self) -> float:
        """Depth at which the contact begins [m]."""
        return -self._theta[2] / self.stiffness

    def begin(self, *, onset: float) -> None:
        """A contact begins; at this depth [m] it was felt first."""
        k, c = self.stiffness, self._theta[1]
        self._theta = [k, min(max(c, -_LATEST * k), _LATEST * k), -k * onset]
        widths = 0.1 * k, 0.003 * k, 1e-4 * k
        self._P = [[w * w if i == j else 0.0 for j in range(3)] for i, w in enumerate(widths)]

    def hear(self, *, force: float, depth: float, speed: float) -> None:
        """A force [N] in contact, with depth [m] and speed into the surface [m/s] at its sample."""
        h, P, theta = (depth, speed, 1.0), self._P, self._theta
        g = [P[i][0] * h[0] + P[i][1] * h[1] + P[i][2] for i in range(3)]
        s = 1.0 / (self._noise + h[0] * g[0] + h[1] * g[1] + g[2])
        wrong = force - (theta[0] * h[0] + theta[1] * h[1] + theta[2])
        for i in range(3):
            theta[i] += s * wrong * g[i]
            for j in range(3):
                P[i][j] -= s * g[i] * g[j]


class Compensation:
    """Brings a late force up to date, and sends the table ahead by the loop's delay."""

    def __init__(self, *, period: float, contact: ContactEstimate) -> None:
        self.contact = contact
        self.delay, self._timed = 0.0, False  # of the loop as known so far [s], and whether it was ever measured
        self._period, self._half = period, 0.5 * period
        self._sent: list[tuple[float, float, float]] = [(-1.0, 0.0, 0.0)] * _REMEMBERED
        self._newest = -1.0  # label of what was sent last [s]
        self._lag = [0.0, 0.0]

    @property
    def servo_lag(self) -> float:
        """How far the table trails its command in free flight [s]."""
        return self._lag[0] / self._lag[1] if self._lag[1] > 0.0 else 0.0

    def learn_delay(self, *, now: float, label: float) -> None:
        """At a simulated time [s] a measurement came in, whose command was labelled with another [s].

        So the delay is known from echoed labels alone; clocks need not agree: both times are the simulation's own.
        """
        self.delay += (_SLOW if self._timed else 1.0) * (now - label - self.delay)
        self._timed = True

    def lead(self, *, touching: bool) -> float:
        """How far ahead the table is sent [s]: the loop, the servo, and half a tick because a force is held."""
        servo = self.contact.lag if touching else self.servo_lag
        return min(max(self.delay + servo, 0.0), _FARTHEST) + self._half

    def commanded(self, label: float) -> tuple[float, float] | None:
        """Depth [m] and speed [m/s] that were commanded for a simulated time; None if that is forgotten.

        Beyond the newest command it is what a table does that hears nothing more: it goes on as it was told last.
        """
        known = min(label, self._newest)
        if known < 0.0:  # nothing was sent yet, or not for that time
            return None
        for back in range(_BRIDGED):
            sent, depth, speed = self._sent[(int(known / self._period + 1e-6) - back) % _REMEMBERED]
            if -1e-9 <= known - sent <= _BRIDGED * self._period:
                return depth + speed * (label - sent), speed
        return None

    def sent(self, *, label: float, depth: float, speed: float) -> None:
        """A command went out: its label [s], and the depth [m] and speed [m/s] that it asks for."""
        self._sent[round(label / self._period) % _REMEMBERED] = label, depth, speed
        self._newest = label

    def follow(self, *, label: float, depth: float) -> None:
        """Where the table was [m] in free flight, against where the command that it obeyed [s] told it to be."""
        if (commanded := self.commanded(label)) is None or commanded[1] == 0.0:
            return
        wanted, speed = commanded
        self._lag[0] = _LAG_MEMORY * self._lag[0] + speed * (wanted - depth)
        self._lag[1] = _LAG_MEMORY * self._lag[1] + speed * speed

    def rate_told(self, label: float) -> float:
        """How fast the commanded places moved on in the period before a simulated time [m/s].

        A command's own speed does not tell it: places jump a little where a contact is first heard of.
        """
        now, before = self.commanded(label), self.commanded(label - self._period)
        if now is None or before is None or now[1] == 0.0:  # told to stand, it does, wherever it came from
            return 0.0 if now is None else now[1]
        return (now[0] - before[0]) / self._period

    def force(
        self, felt: float, *, depth_then: float, speed_then: float, rate_then: float, depth: float, speed: float
    ) -> float:
        """What the contact would say now, in the middle of the tick that begins.

        From the push that was felt [N], what was commanded then, and how the bodies stand now [m, m/s]; `rate_then` is
        how fast commanded places moved then, as a damper felt it.
        """
        k, c, lag = self.contact.stiffness, self.contact.damping, self.contact.lag
        on = depth + self._half * speed - (depth_then - lag * speed_then)
        return max(0.0, felt + k * on + c * (speed - rate_then))

    def ahead(self, depth: float, speed: float, *, mass: float, touching: bool) -> tuple[float, float, float]:
        """Depth, speed and acceleration when the table's answer will arrive: the contact is rolled forward.

        From depth [m] and speed [m/s] of the bodies now, and the mass that the contact feels [kg].
        """
        lead = self.lead(touching=touching)
        if not touching:
            return depth + lead * speed, speed, 0.0
        k, c, onset = self.contact.stiffness / mass, self.contact.damping / mass, self.contact.onset
        steps = max(1, round(lead / _ROLL))
        h = lead / steps
        a = 0.0
        for _ in range(steps):
            a = -(k * (depth + 0.5 * h * speed - onset) + c * speed)
            if a > 0.0:  # it does not pull
                a = 0.0
            depth += h * (speed + 0.5 * h * a)
            speed += h * a
        return depth, speed, a


def plausible(label: float, *, now: float, longest: float, bridged: float = 0.0) -> bool:
    """Whether a measurement may speak of this simulated time: not of the future, not of a forgotten past.

    Nothing is older than `longest`, and a table may have gone on by itself for `bridged` when commands were lost [s].
    """
    return now - longest <= label <= now + bridged + 1e-9
