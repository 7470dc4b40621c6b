"""Part of `make check`. Ends with 1 where a vulnerability is known; a service that is away stops nobody."""

import sys

from tests.dependencies.auditing import FILES, audit, sentence


def main() -> int:
    """Returns the exit status."""
    verdicts = {file: audit(file) for file in FILES}
    for file, verdict in verdicts.items():
        print(sentence(file, verdict))
    return 1 if any(verdict.vulnerable for verdict in verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
