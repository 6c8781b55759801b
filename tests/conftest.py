"""What all tests share."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# Tests assert no times, and neither may Hypothesis: a loaded machine is no fault of the code.
settings.register_profile("fencerun", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fencerun")

# A shell starts what is to run in the background with these ignored, and children inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, default)
