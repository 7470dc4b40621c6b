"""The whole idea on one page: a loop, a model that proposes, a host that disposes. Run it: python3 docs/loop_demo.py

The model here is a stub that follows a script; everything else has the shape of the real thing (agent/runs/).
"""

import itertools
import json

ORDERS = {"DZ-10423": {"customer": "alice", "status": "delivered", "paid": 4200, "refunded": 0}}
PENDING: dict[int, dict] = {}
MAX_STEPS = 8


def order_status(order_number: str, *, user: str) -> dict:
    order = ORDERS.get(order_number)
    if order is None or order["customer"] != user:  # a stranger's order and none at all: the same answer
        return {"error": "no such order for this customer"}
    return {"order_number": order_number, "status": order["status"], "refundable": order["paid"] - order["refunded"]}


def refund_order(order_number: str, cents: int, *, user: str) -> dict:
    status = order_status(order_number, user=user)
    if "error" in status or not 0 < cents <= status["refundable"]:
        return {"error": "not possible"}
    ORDERS[order_number]["refunded"] += cents
    return {"refunded": cents}


READS, WRITES = {"order_status": order_status}, {"refund_order": refund_order}


def call(name: str, arguments: dict, *, user: str) -> dict:
    """One call, one result. A read runs; a write becomes a row that waits for its customer."""
    if name in READS:
        return READS[name](**arguments, user=user)  # `user` comes from the session, never from the model
    if name in WRITES:
        number = len(PENDING) + 1
        PENDING[number] = {"tool": name, "arguments": arguments, "user": user, "state": "pending"}
        return {"status": "awaiting_confirmation", "action": number}
    return {"error": f"unknown tool {name!r}"}


def confirm(number: int, *, user: str) -> dict:
    """The only road from a proposal to its effect, and it is taken once."""
    action = PENDING.get(number)
    if action is None or action["user"] != user or action["state"] != "pending":
        return {"error": "nothing to confirm"}
    action["state"] = "executed"
    return WRITES[action["tool"]](**action["arguments"], user=user)


def run(question: str, *, user: str, model) -> str:
    messages = [{"role": "user", "content": question}]
    for _ in range(MAX_STEPS):
        turn = model(messages)
        messages.append({"role": "assistant", "content": turn})
        calls = [block for block in turn if block["type"] == "tool_use"]
        if not calls:
            return turn[-1]["text"]
        results = [(block["id"], call(block["name"], block["input"], user=user)) for block in calls]
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": key, "content": json.dumps(result)} for key, result in results
        ]})  # fmt: skip
    return "I could not finish this. A person will look at it."


def stub_model():
    """Looks the order up, proposes a refund, and says truthfully that nothing has been done yet."""
    ids = itertools.count(1)

    def use(name: str, **arguments) -> list[dict]:
        return [{"type": "tool_use", "id": f"call-{next(ids)}", "name": name, "input": arguments}]

    script = iter([
        use("order_status", order_number="DZ-10423"),
        use("refund_order", order_number="DZ-10423", cents=4200),
        [{"type": "text", "text": "A refund of 42.00 is ready. Please confirm it: nothing has been paid yet."}],
    ])  # fmt: skip
    return lambda messages: next(script)


if __name__ == "__main__":
    print(run("I want my money back for DZ-10423", user="alice", model=stub_model()))
    print("before:", ORDERS["DZ-10423"]["refunded"])
    print("mallory confirms:", confirm(1, user="mallory"))
    print("alice confirms:", confirm(1, user="alice"))
    print("alice confirms again:", confirm(1, user="alice"))
    print("after:", ORDERS["DZ-10423"]["refunded"])
