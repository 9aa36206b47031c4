"""Forward dynamics called from compiled code over and over, as a loop does."""

from tegotae.compile import entry
from tegotae.multibody.kernels.kinematics import prepare_world
from tegotae.multibody.kernels.passes import accelerate


@entry
def many_accelerations(count, model, q, v, tau, slope, wrench, S, a):
    """The three passes `count` times, each at another state that depends on the last answer: none can be skipped."""
    prepare_world(S, model.g)
    n = len(v)
    for k in range(count):
        accelerate(model.parent, model.kind, model.qi, model.vi, model.C, model.g, q, v, tau, slope, wrench, S, a)
        v[k % n] += 1e-12 * a[k % n]
