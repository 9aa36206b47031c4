"""The free-flying robot of tarao1999: a base and four links, joined by parallel axes."""

from __future__ import annotations

from tegotae.multibody import Body, Free, Revolute, Tree

LINKS = 4
HALF = 0.5  # m from a centre of mass to the joint on either side  [Table 1]
TIP = (2.0 * HALF, 0.0, 0.0)  # m, in the frame of the last link
BASE_INERTIA = (20.0, 20.0, 20.0)  # kg m^2  [Table 1]
LINK_INERTIA = (0.3125, 0.9896, 0.9896)  # kg m^2, x along the link; the same at any mass, as the paper has it


def free_flying_robot(*, base: float, link: float) -> Tree:
    """A free base and four links in line on its x axis, all joints about y, without gravity.

    Args:
        base: mass of the base [kg].
        link: mass of each link [kg].

    Example:
        >>> from tegotae.papers.two_robots import free_flying_robot
        >>> robot = free_flying_robot(base=50.0, link=10.0)
        >>> robot.mass, robot.joint_names
        (90.0, ('link1', 'link2', 'link3', 'link4'))
    """
    links = [
        Body(
            name=f"link{k}",
            mass=link,
            inertia=LINK_INERTIA,
            center=(HALF, 0.0, 0.0),
            parent=f"link{k - 1}" if k > 1 else "base",
            joint=Revolute(axis=(0.0, 1.0, 0.0)),
            position=(2.0 * HALF if k > 1 else HALF, 0.0, 0.0),
        )
        for k in range(1, LINKS + 1)
    ]
    return Tree([Body(name="base", mass=base, inertia=BASE_INERTIA, joint=Free()), *links], gravity=(0.0, 0.0, 0.0))
