"""What numba compiles is what Python would compute: the same definitions, run with the compiler switched off."""

import json
import os
import subprocess
import sys

import numpy as np

PROGRAM = """
import json, numpy as np, tegotae as tg
T = 1e-3
law = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1)
v = 0.1 * np.sin(0.05 * np.arange(200))
brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, mass=0.1, lag=0.01)
planar = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, dimension=2)
stack = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0])
machine = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake, "stack": stack, "spring": tg.SpringDamper(stiffness=10.0)})
slider = tg.FrictionAdmittance(mass=1.0, law=law)
print(json.dumps({
    "brake": brake.run(v, period=T).force.tolist(),
    "planar": planar.run(np.stack([v, -2 * v], axis=1), period=T).force.ravel().tolist(),
    "stack": stack.run(v, period=T).force.tolist(),
    "machine": machine.run(400 * v, period=T).velocity.tolist(),
    "slider": slider.run(400 * v, period=T).velocity.tolist(),
}))
"""


def outputs(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return json.loads(done.stdout)


def test_compiled_equals_plain_python():
    compiled, plain = outputs(), outputs(NUMBA_DISABLE_JIT="1")
    for name, values in compiled.items():
        # fused multiply-add and free sums differ in the last digits only
        np.testing.assert_allclose(values, plain[name], rtol=1e-11, atol=1e-12, err_msg=name)
