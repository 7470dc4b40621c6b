"""Recorded customer cases, played against this shop: `python -m config.cases DIR`. docs/cases.md says what for."""
