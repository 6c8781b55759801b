"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Tests assert no times, and neither may Hypothesis: a loaded machine is no fault of the code.
settings.register_profile("fencerun", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fencerun")
