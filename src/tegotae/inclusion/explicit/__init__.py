"""The explicit route: an ordinary differential equation for any integrator.  [xiong2011]"""
