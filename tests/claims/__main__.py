"""`make claims`: teaches the weights anew, after sentences were added."""

import json

import django


def main() -> None:
    django.setup()
    from agent.claims.weighing import FILE
    from tests.claims.teaching import taught

    FILE.write_text(json.dumps(taught(), indent=1) + "\n", encoding="ascii")
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


main()
