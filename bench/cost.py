"""What the input of a run costs with prompt caching, beside sending everything anew."""

from bench import place
from bench.section import Section, Table, Verdict

STEPS = (4, 8, 12)
MOST = 1 / 3  # of the uncached, at twelve steps
METHOD = (
    "Runs over a shop's orders with the shop's whole prompt, all its tools and order_status called in every step, "
    "over HTTP to the local Messages API, which bills a prompt cache: reads, writes and the rest, by the marks that it "
    "is sent, from 1024 tokens on, tokens being characters over four. The first run of each row finds the cache empty, "
    "as the first customer of the day does; a later one finds the prompt and the tools. Beside it, the same requests "
    "with every input token at the full price. Prices are those of `config/prices.py`."
)


def measure(*, small: bool) -> Section:
    """Run each length twice: with an empty cache, and after somebody else's run."""
    rows, last = [], 0.0
    with place.folder() as folder, place.model_server() as model:
        env = place.environment(DATABASE_URL=f"sqlite:///{folder / 'cost.sqlite3'}", **place.with_model(model))
        place.manage("migrate", "--noinput", "--verbosity", "0", env=env)
        with place.inside("bench.meter", env=env) as meter:
            for steps in STEPS[:1] if small else STEPS:
                place.forget(model)
                first, later = meter.ask(str(steps)), meter.ask(str(steps))
                rows += [_row(steps, first, "empty"), _row(steps, later, "warm")]
                last = first["cached"] / first["anew"]
            name = first["model"]
    header = ["steps", "cache before", "input tokens", "from the cache", "written to it", "cost, $", "anew, $", "ratio"]
    return Section(
        title="Input cost",
        method=METHOD,
        tables=[Table(f"Input alone, {name}:", header, rows)],
        verdicts=[Verdict(f"input cost of {steps} steps, of what it is anew, cache empty before", last, MOST)],
    )


def _row(steps: int, run: dict[str, float], before: str) -> list[str]:
    share = [f"{run[name] / run['tokens']:.0%}" for name in ("read", "written")]
    costs = [f"{run[name] / 1e6:.4f}" for name in ("cached", "anew")]
    return [str(steps), before, f"{run['tokens']:.0f}", *share, *costs, f"{run['cached'] / run['anew']:.2f}"]
