"""Calls that no docstring shows, by package; read like docstrings' examples."""

EXAMPLES = {
    "tegotae": """
import numpy as np, tegotae as tg
brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
live = brake.start(period=1e-3, initial={"deflection": 0.0})
live.step(0.1)
live.step(position=0.01)
live["force"]
live.state = live.state
state = live.state
state["deflection"] = 0.0
state.part("force")
from tegotae.running.probe import Probe
probe = Probe(brake, 1e-3, {"deflection": 0.0})
probe.answer(0.1)
probe.advance(0.1, motion=[0.1])
brakes = brake.batch(stiffness=[1e3, 1e4]).start(period=1e-3, initial={"deflection": 0.0})
brakes.step([0.1, 0.2])
brakes.states = brakes.states
brake.run([0.1, 0.2], period=1e-3, progress=lambda share: None)
plane = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0), dimension=2)
plane.start(period=1e-3).step(np.array([0.1, 0.2]))
plane.run(position=np.zeros((5, 2)), period=1e-3, record=["force"], initial={"deflection": [0.0, 0.0]})
rope = tg.SpringDamper(stiffness=1e4, damping=50.0)
towed = tg.Circuit(tg.Mass(mass=2.0), {"brake": brake, "rope": rope}, ratios={"brake": 2.0}, bases=["rope"])
towed.run(bases={"rope": np.zeros(5)}, period=1e-3, every=1, record=["velocity"], initial={"velocity": 0.0})
machine = towed.start(period=1e-3, initial={"velocity": 0.0})
machine.step(1.0)
machine.state = machine.state
tg.Mass(mass=1.0).run(np.zeros(5), period=1e-3, initial={"velocity": 1.0}, inputs={}, progress=None)
result = tg.Mass(mass=1.0).run(np.zeros(5), period=1e-3)
result.save("run.mat")
result.save("run.csv")
result["velocity"]
""",
    "tegotae.friction": """
import tegotae as tg
from tegotae.friction.classics import Karnopp
karnopp = Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)
karnopp.least_dead_zone(1e-3)
tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0]).start(period=1e-3).step(0.1)
""",
    "tegotae.device": """
from tegotae.device import AdmittanceTwin
twin = AdmittanceTwin(bandwidth=50.0).start(period=1e-3)
twin.command(0.1)
""",
    "tegotae.multibody": """
import numpy as np
from tegotae.multibody import Body, Prismatic, Revolute, Scene, Servo, Tree, load_urdf
text = '''<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><origin xyz="0 0 0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'''
with open("robot.urdf", "w") as file:
    written = file.write(text)
load_urdf("robot.urdf", gravity=(0.0, 0.0, -9.81))
lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
scene = Scene(tree=lift, controllers={"lift": Servo(gain=100.0, rate_gain=10.0)})
push = {"lift": [0.0] * 6}
scene.run(0.01, period=1e-3, q=[0.0], v=[0.0], torque=[0.0], targets={"lift": 0.1}, wrenches=push, every=1)
live = scene.start(period=1e-3, q=[0.0], v=[0.0], method="midpoint")
live.step([0.0], targets={"lift": 0.1}, wrenches={"lift": [0.0] * 6})
""",
    "tegotae.rod": """
from tegotae.rod import Phase, PlanarRod, PureRod, Shape, Tendon
rod = PlanarRod(length=1.0, nodes=4, density=1.0, elasticity=1.0, viscosity=0.1)
rod.run([Phase(until=0.1)], times=[0.05, 0.1], initial=Shape(angle=[0.0, 0.1, 0.2, 0.3]))
rod.accelerations([0.0] * 4, [0.0] * 4, torque=1.0, base="free", base_velocity=(0.0, 0.0))
PureRod(rod=rod).inertia([0.0] * 4)
tendon = Tendon(offset=0.1, tension=5.0)
tendon.arms(rod)
tendon.length(rod, [0.0, 0.1, 0.2, 0.3])
""",
    "tegotae.steering": """
import numpy as np
from tegotae.steering.system import Column, TorsionBar
from tegotae.steering.rendering import Packet
Column(inertia=2.4, gear=16.0, friction=0.3, stiffness=1e4, damping=100.0, compliance=TorsionBar())
TorsionBar(stiffness=150.0, damping=0.3, wheel_inertia=0.05)
Packet(torque=-1.2, angle=0.4)
from dataclasses import fields
from tegotae.elements import SpringDamper
from tegotae.steering import SteeringSystem
paper = SteeringSystem.paper()
arms = {"arms": SpringDamper(stiffness=1.0)}
SteeringSystem(**{f.name: getattr(paper, f.name) for f in fields(paper) if f.init} | arms)
from tegotae.steering.arc import Arc, ParallelLink
system = SteeringSystem.physical(speed=5.0, bristles=21)
live = system.start(period=1e-3, initial={"steer": 0.0})
live.step(0.1)
system.run(np.zeros(5), period=1e-3, record=["tyre.deflection"], initial={"steer": 0.0})
arm = ParallelLink(upper=0.4, fore=0.4)
arm.jacobian([0.1, 0.2])
arm.torques([0.1, 0.2], [1.0, 2.0])
arc = Arc(arm=arm, centre=(0.0, 0.35), radius=0.18, travel=1.0)
arc.angle([0.0, 0.5])
arc.joints(0.1)
arc.joint_torques(1.0, 0.1)
""",
    "tegotae.table": """
from dataclasses import fields
from tegotae.table import Hexa, HexaPlant
for kind in (Hexa, HexaPlant):
    table = kind.default()
    kind(**{f.name: getattr(table, f.name) for f in fields(table) if f.init})
""",
    "tegotae.inclusion": """
from tegotae.inclusion import Contact, Friction, Inclusion
drop = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - 9.81"}, {"m": 1.0})
floor = Contact(stiffness=1e5, damping=200.0)
ode = drop.to_ode(contact=floor, elements={"floor": floor})
ode.solve((0.0, 0.01), {"p": 0.1}, method="RK45", times=[0.005, 0.01])
bouncing = drop.to_ode(contact=floor, restitution={"floor": 0.5})
bouncing.solve((0.0, 0.01), {"p": 1e-5}, method="RK4", step=1e-4, events=True)
bouncing.impact(0.0, [0.0, -1.0, 0.0], ["floor"])
bouncing.gaps(0.0, [0.1, -1.0, 0.0])
stepper = drop.to_stepper(period=1e-3, contact=Contact(stiffness=1e5, damping=200.0))
stepper.run(ticks=3, inputs={"m": 1.0}, initial={"p": 0.1})
live = stepper.start(initial={"p": 0.1})
live.step({"m": 1.0})
live.state = live.state
""",
    "tegotae.hybrid": """
from tegotae.hybrid import MemoryBus, VirtualLoop, read_settings
bus = MemoryBus("demo")
bus.declare("table", {"device": "spring"})
bus.wait_for(["table"], 0.0)
bus.leave("table")
loop = VirtualLoop(read_settings(changes=["device.kind=spring"]))
loop.kill("dynamics")
loop.revive("dynamics")
""",
}
