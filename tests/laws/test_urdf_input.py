"""URDF files that cannot be loaded name the file and the thing; those with flaws are loaded, and tell all of them."""

import logging
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from tegotae import Coulomb, FileError, InputError, TegotaeError
from tegotae.multibody import (
    Body,
    Fixed,
    Free,
    Mimic,
    Prismatic,
    Revolute,
    Scene,
    Tree,
    UrdfWarning,
    load_urdf,
    urdf_file,
)

MATTER = """<inertial><origin xyz="0 0 -0.5" rpy="0 0 0"/><mass value="2"/>
<inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def link(name: str, inside: str = MATTER) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", inside: str = '<axis xyz="0 1 0"/>' + LIMIT
) -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def written(folder: Path, *parts: str) -> Path:
    path = folder / "machine.urdf"
    path.write_text('<?xml version="1.0"?><robot name="machine">' + "".join(parts) + "</robot>", encoding="utf-8")
    return path


ARM = (link("base"), link("arm"), joint("shoulder", "base", "arm"))


def test_a_plain_file_loads_without_a_word(tmp_path: Path) -> None:
    tree = load_urdf(written(tmp_path, *ARM), gravity=(0, 0, -1.62))
    assert tree.gravity == (0.0, 0.0, -1.62)
    shoulder = tree.joints["shoulder"]
    assert (shoulder.lower, shoulder.upper, shoulder.effort, shoulder.speed) == (-1.0, 2.0, 3.0, 4.0)
    assert shoulder.axis == (0.0, 1.0, 0.0)
    assert shoulder.friction is None
    assert tree.bodies[1].center == (0.0, 0.0, -0.5)


REFUSED = {
    "unknown joint": (
        (*ARM[:2], joint("shoulder", "base", "arm", "ball")),
        r"'shoulder' has type='ball'.*\n.*revolute",
    ),
    "no type": ((*ARM[:2], joint("s", "base", "arm").replace('type="revolute"', "")), r"joint s has no type"),
    "a cycle": (
        (*map(link, "rabc"), joint("1", "r", "a"), joint("2", "c", "b"), joint("3", "b", "c")),
        r"loop: 'b' on 'c' on 'b'",
    ),
    "a cycle without root": ((link("a"), link("b"), joint("1", "a", "b"), joint("2", "b", "a")), r"loop: 'a' on 'b'"),
    "a closed chain": (
        (*map(link, "rab"), joint("1", "r", "a"), joint("2", "r", "b"), joint("3", "a", "b")),
        r"'2' and '3' both carry link 'b'",
    ),
    "two roots": ((*ARM, link("stray")), r"links 'base', 'stray' are carried by no joint"),
    "no links": ((), r"no links"),
    "a link twice": ((*ARM, link("arm")), r"two links are named 'arm'"),
    "a joint twice": ((*ARM, link("hand"), joint("shoulder", "arm", "hand")), r"two joints are named 'shoulder'"),
    "an unknown link": ((*ARM, joint("wrist", "arm", "hand")), r"'wrist' has child 'hand', and no link"),
    "an unknown parent": ((*ARM, joint("wrist", "leg", "arm")), r"'wrist' has parent 'leg', and no link"),
    "no child": ((*ARM[:2], '<joint name="s" type="fixed"><parent link="base"/></joint>'), r"joint s has no <child"),
    "no name": ((*ARM, "<link/>"), r"a <link> has no name"),
    "an axis of no length": (
        (*ARM[:2], joint("s", "base", "arm", "continuous", '<axis xyz="0 0 0"/>')),
        r"joint 's': Revolute: axis=.* has length 0",
    ),
    "an axis of two": ((*ARM[:2], joint("s", "base", "arm", "continuous", '<axis xyz="0 1"/>')), r"xyz='0 1'>.*\n.*3"),
    "a word for a mass": ((link("base", MATTER.replace('"2"', '"heavy"')),), r"link base has <mass value='heavy'>"),
    "a lost mass": ((link("base", MATTER.replace('"2"', '"nan"')),), r"link base has <mass value='nan'>"),
    "endless inertia": ((link("base", MATTER.replace("0.01", "1e999")),), r"link base has <inertia izz='1e999'>"),
    "xacro not expanded": (
        (*ARM[:2], joint("s", "base", "arm", inside='<origin xyz="${a} 0 0"/>')),
        r"xyz='\$\{a\} 0 0'",
    ),
}


@pytest.mark.parametrize(("parts", "told"), REFUSED.values(), ids=list(REFUSED))
def test_a_file_without_meaning_is_refused(parts: tuple[str, ...], told: str, tmp_path: Path) -> None:
    path = written(tmp_path, *parts)
    with pytest.raises(InputError, match=told) as caught:
        load_urdf(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).count(path.name) == 1
    assert "\n  " in str(caught.value)


NOT_XML = {
    "empty": "",
    "words": "a robot",
    "cut short": '<robot name="r"><link name="a">',
    "crossed": '<robot name="r"><link name="a"></robot></link>',
    "another format": "<mujoco/>",
    "two roots": '<robot name="r"/><robot name="s"/>',
}


@pytest.mark.parametrize("text", NOT_XML.values(), ids=list(NOT_XML))
def test_a_file_that_does_not_parse_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.urdf"
    path.write_text(text)
    with pytest.raises(FileError, match=r"machine\.urdf"):
        load_urdf(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere\.urdf.*No such file"):
        load_urdf(tmp_path / "nowhere.urdf")
    with pytest.raises(FileError, match="cannot be read"):
        load_urdf(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        load_urdf("a\0b")
    (tmp_path / "binary.urdf").write_bytes(bytes(range(256)))
    with pytest.raises(FileError, match="not well-formed"):
        load_urdf(tmp_path / "binary.urdf")
    for path in (None, 3):
        with pytest.raises(InputError, match="not a path"):
            load_urdf(path)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("friction_stiffness", 0.0), ("friction_damping", -1.0)])
def test_options_are_checked(name: str, value: float, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=name):
        load_urdf(written(tmp_path, *ARM), **{name: value})  # type: ignore[arg-type]


def noted(path: Path, free_base: bool = False) -> tuple[Tree, str]:
    """The tree, and the one warning."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tree = load_urdf(path, free_base=free_base)
    assert [one.category for one in told] == [UrdfWarning]
    assert told[0].filename == __file__
    return tree, str(told[0].message)


FLAWS = {
    "triangle": (
        link("arm", MATTER.replace("0.01", "0.9")),
        r"body 'arm': inertia has principal moments 0.2, 0.2, 0.9",
    ),
    "negative moment": (link("arm", MATTER.replace("0.01", "-0.9")), r"body 'arm': .* -0.9, 0.2, 0.2"),
    "negative mass": (link("arm", MATTER.replace('"2"', '"-2"')), r"body 'arm': mass=-2 kg"),
    "no mass": (link("arm", ""), r"links without mass: arm\n.*joint 'shoulder': nothing opposes"),
    "no inertia": (
        link("arm", '<inertial><mass value="1"/></inertial>'),
        r"<inertia> is missing and taken as 0: link arm",
    ),
    "a point": (
        link("arm", '<inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'),
        r"without moments of inertia: arm",
    ),
    "a moment missing": (link("arm", MATTER.replace('izz="0.01"', "")), r"izz of <inertia> is missing and taken as 0"),
    "two inertials": (link("arm", MATTER + MATTER), r"<inertial> is given twice, the first is used: link arm"),
}


@pytest.mark.parametrize(("arm", "told"), FLAWS.values(), ids=list(FLAWS))
def test_flaws_are_loaded_and_told_by_name(arm: str, told: str, tmp_path: Path) -> None:
    tree, message = noted(written(tmp_path, link("base"), arm, ARM[2]))
    assert re.search(told, message, re.DOTALL)
    assert tree.joint_names == ("shoulder",)


def test_a_moment_that_is_missing_is_not_invented(tmp_path: Path) -> None:
    """yourdfpy would take 1 kg·m²."""
    tree, _ = noted(written(tmp_path, link("base"), link("arm", MATTER.replace('izz="0.01"', "")), ARM[2]))
    assert np.asarray(tree.bodies[1].inertia)[2, 2] == 0.0


UNSUPPORTED = {
    "mimic": (
        '<mimic joint="lost"/>',
        "mimic of what is no other joint of one degree, these joints move on their own: elbow",
    ),
    "safety": ('<safety_controller k_velocity="1"/>', "<safety_controller> is not used, in: joint elbow"),
    "calibration": ('<calibration rising="0"/>', "<calibration> is not used, in: joint elbow"),
    "a spring": ('<dynamics spring_stiffness="3"/>', "spring_stiffness of <dynamics> is not used, in: joint elbow"),
    "negative damping": ('<dynamics damping="-1"/>', "damping or friction below 0, taken as 0: elbow"),
    "crossed limits": ('<limit lower="1" upper="-1"/>', "lower limits above the upper, none are set: elbow"),
    "negative effort": ('<limit lower="0" upper="1" effort="-1"/>', "limits of effort below 0, none are set: elbow"),
    "no limits": ("", "limits are missing, none are set: elbow"),
}


@pytest.mark.parametrize(("inside", "told"), UNSUPPORTED.values(), ids=list(UNSUPPORTED))
def test_what_is_not_supported_is_told_by_name(inside: str, told: str, tmp_path: Path) -> None:
    inside = inside if "limit" in told else inside + LIMIT
    path = written(tmp_path, *ARM, link("hand"), joint("elbow", "arm", "hand", inside=inside))
    tree, message = noted(path)
    assert message.splitlines()[1:] == ["  " + told]
    assert tree.joint_names == ("shoulder", "elbow")


def test_one_warning_lists_everything(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *ARM,
        link("puck"),
        link("tip", ""),
        joint("slider", "arm", "puck", "prismatic", ""),
        joint("mount", "arm", "tip", "fixed", ""),
        '<transmission name="gears"/><gazebo reference="arm"/><xacro:include filename="more"/>',
    )
    _, message = noted(path)
    for one in (
        "limits are missing.*: slider",
        "without mass: tip",
        "<transmission>.*: gears",
        "<gazebo>.*: arm",
        "<xacro:inc",
    ):
        assert re.search(one, message), one
    with warnings.catch_warnings():
        warnings.simplefilter("error", UrdfWarning)
        with pytest.raises(UrdfWarning, match="slider"):
            load_urdf(path)


def test_meshes_are_not_looked_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mesh = '<visual><geometry><mesh filename="package://none/lost.stl"/></geometry></visual><collision/>'
    with caplog.at_level(logging.WARNING):
        load_urdf(written(tmp_path, link("base", MATTER + mesh), *ARM[1:]))
    assert not caplog.records


def test_a_default_namespace_hides_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, *ARM)
    path.write_text(path.read_text().replace("<robot ", '<robot xmlns="https://example.org/urdf" '))
    assert load_urdf(path).joint_names == ("shoulder",)


def test_joints_become_what_they_are(tmp_path: Path) -> None:
    resist = '<axis xyz="1 0 0"/><dynamics damping="0.3" friction="0.7"/>'
    path = written(
        tmp_path,
        *map(link, "rabcd"),
        joint("wheel", "r", "a", "continuous", resist + '<limit effort="5" velocity="6"/>'),
        joint("rail", "a", "b", "prismatic", LIMIT),
        joint("bolt", "b", "c", "fixed", '<axis xyz="0 0 0"/>'),
        joint("air", "r", "d", "floating", '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'),
    )
    tree = load_urdf(path, friction_stiffness=5e3, friction_damping=2.0)
    wheel, rail, bolt, air = (body.joint for body in tree.bodies[1:])
    assert isinstance(wheel, Revolute)
    assert (wheel.lower, wheel.upper, wheel.effort, wheel.speed) == (-math.inf, math.inf, 5.0, 6.0)
    assert wheel.damping == 0.3
    assert wheel.friction is not None
    assert wheel.friction.law == Coulomb(0.7)
    assert (wheel.friction.stiffness, wheel.friction.damping) == (5e3, 2.0)
    assert isinstance(rail, Prismatic)
    assert rail.axis == (1.0, 0.0, 0.0)  # the default of the format
    assert isinstance(bolt, Fixed)
    assert isinstance(air, Free)
    assert tree.joint_names == ("wheel", "rail")
    np.testing.assert_allclose(tree.neutral(), [0, 0, 1, 2, 3, np.sqrt(0.5), 0, 0, np.sqrt(0.5)], rtol=0, atol=1e-15)


def test_a_floating_joint_on_a_moving_link_is_free_beside_it(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *ARM,
        link("bird"),
        joint("air", "arm", "bird", "floating", '<origin xyz="0 0 1"/>'),
    )
    tree = load_urdf(path)
    assert tree.bodies[2].parent == "arm"
    np.testing.assert_array_equal(tree.neutral()[1:], (0, 0, 1, 1, 0, 0, 0))
    turned = [0.3, *tree.neutral()[1:]]  # the coordinates are those beside the arm: the bird turns with it
    np.testing.assert_allclose(tree.pose(turned, "bird")[1], tree.pose(turned, "arm")[1], rtol=0, atol=1e-15)


def test_a_joint_that_mimics_follows(tmp_path: Path) -> None:
    follows = LIMIT + '<mimic joint="shoulder" multiplier="-2" offset="0.1"/>'
    tree = load_urdf(written(tmp_path, *ARM, link("hand"), joint("elbow", "arm", "hand", inside=follows)))
    assert tree.joints["elbow"].mimic == Mimic("shoulder", ratio=-2.0, offset=0.1)
    run = Scene(tree=tree).run(0.2, period=1e-3, torque=[1.0, 0.0])
    np.testing.assert_allclose(run.q[:, 1], -2.0 * run.q[:, 0] + 0.1, rtol=0, atol=1e-14)
    assert abs(run.v[-1, 0]) > 1e-3


def test_a_planar_joint_slides_and_turns(tmp_path: Path) -> None:
    puck = joint("air", "base", "puck", "planar", '<axis xyz="0 1 0"/>')
    tree = load_urdf(written(tmp_path, link("base"), link("puck"), puck))
    assert tree.joint_names == ("air.x", "air.y", "air.turn")
    place, _ = tree.pose([0.1, 0.2, 0.3], "puck")
    assert place[1] == 0.0
    np.testing.assert_allclose(np.linalg.norm(place), np.hypot(0.1, 0.2), rtol=1e-15)


def test_a_root_that_is_the_world_stays_it(tmp_path: Path) -> None:
    path = written(tmp_path, link("world", ""), link("body"), joint("air", "world", "body", "floating", ""))
    for free_base in (False, True):
        tree = load_urdf(path, free_base=free_base)
        assert (tree.nq, tree.nv, tree.mass) == (7, 6, 2.0)


def test_the_inertia_turns_with_its_own_origin(tmp_path: Path) -> None:
    """rpy of <inertial> says along which axes the moments are: a quarter turn about x exchanges y and z."""
    arm = link("arm", MATTER.replace('rpy="0 0 0"', 'rpy="1.5707963267948966 0 0"'))
    tree = load_urdf(written(tmp_path, link("base"), arm, ARM[2]))
    np.testing.assert_allclose(tree.bodies[1].inertia, np.diag([0.2, 0.01, 0.2]), rtol=0, atol=1e-16)


def test_order_of_joints_is_that_of_the_file(tmp_path: Path) -> None:
    joints = (joint("z", "b", "c"), joint("y", "r", "b"), joint("x", "r", "a"))
    tree = load_urdf(written(tmp_path, *map(link, "rabc"), *joints))
    assert tree.joint_names == ("y", "z", "x")


def test_a_machine_without_joints_has_nothing_to_accelerate(tmp_path: Path) -> None:
    tree = load_urdf(written(tmp_path, link("base")))
    assert tree.forward_dynamics([], [], []).shape == tree.inverse_dynamics([], [], []).shape == (0,)
    assert tree.forward_dynamics(np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)


def hollow(folder: Path, *, damping: str = "") -> Tree:
    """A torso of matter; on it an arm of matter, and a hand and a finger without any."""
    inside = '<axis xyz="0 1 0"/>' + LIMIT + damping
    path = written(
        folder, *map(link, ("base", "torso", "arm")), link("hand", ""), link("finger", ""),
        joint("waist", "base", "torso", inside=inside), joint("shoulder", "torso", "arm", inside=inside),
        joint("wrist", "arm", "hand", inside=inside), joint("knuckle", "hand", "finger", inside=inside),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        return load_urdf(path)


def test_the_body_without_inertia_is_blamed_and_not_what_carries_it(tmp_path: Path) -> None:
    """Numbers are lost from the hand inwards, down to the waist, which is listed first."""
    tree = hollow(tmp_path)
    with pytest.raises(TegotaeError, match="not finite") as told:
        tree.forward_dynamics(tree.neutral(), np.zeros(tree.nv))
    blamed = re.findall(r"joint '(\w+)': nothing opposes", str(told.value))
    assert blamed == ["wrist", "knuckle"]
    assert "torso" not in str(told.value)


def test_a_scene_that_diverged_blames_the_same_and_advises_what_is_not_done(tmp_path: Path) -> None:
    tree = hollow(tmp_path)
    with pytest.raises(TegotaeError, match="diverged") as told:
        Scene(tree=tree).run(0.01, period=1e-3)
    assert re.findall(r"joint '(\w+)': nothing opposes", str(told.value)) == ["wrist", "knuckle"]
    assert "method='midpoint'" not in str(told.value)
    damped = hollow(tmp_path, damping='<dynamics damping="0.1"/>')  # dampers oppose: these are not to blame
    Scene(tree=damped).run(0.01, period=1e-3)
    with pytest.raises(TegotaeError, match="diverged") as told:
        Scene(tree=damped).run(0.01, period=1e-3, v=np.full(tree.nv, 1e200))
    assert "nothing opposes" not in str(told.value)


def test_a_joint_that_nothing_opposes_in_one_pose_is_blamed_there() -> None:
    """A point at the end of an arm of two links without mass: stretched, both joints move it in one direction."""
    upper = Body(name="upper", mass=0.0, joint=Revolute(axis=(0, 0, 1), name="shoulder"))
    lower = Body(
        name="lower", mass=1.0, center=(1.0, 0.0, 0.0), position=(1.0, 0.0, 0.0), parent="upper",
        joint=Revolute(axis=(0, 0, 1), name="elbow"),
    )  # fmt: skip
    tree = Tree([upper, lower])
    assert tree.flaws == ()
    with pytest.raises(TegotaeError, match="'shoulder': nothing opposes"):
        tree.forward_dynamics([0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_the_implicit_method_is_advised_to_others_only(method: str) -> None:
    ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free())])
    with pytest.raises(TegotaeError, match="diverged") as told:
        Scene(tree=ball).run(0.1, period=1e-3, v=[0, 0, 0, 1e200, 1e199, 0], method=method)
    assert ("method='midpoint'" in str(told.value)) == (method not in ("midpoint", "euler"))


def test_a_device_that_never_ends_is_no_urdf(monkeypatch):
    monkeypatch.setattr(urdf_file, "_MOST", 1 << 16)
    with pytest.raises(FileError, match=r"/dev/zero: it has more than 65536 bytes"):
        load_urdf("/dev/zero")
