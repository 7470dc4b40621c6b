"""The part of an article that answers a question."""

from agent.knowledge.words import asked_for, beginning_of, plain, words_of


def passage(body: str, query: str, *, limit: int = 700) -> str:
    """Whole paragraphs, from the one that shares most words with the query on; at most `limit` characters."""
    paragraphs = [part.strip() for part in body.split("\n\n") if part.strip()]
    if not paragraphs:
        return ""
    beginnings = [plain(beginning_of(word)) for word in asked_for(query)]
    shares = [_share(paragraph, beginnings) for paragraph in paragraphs]
    start = shares.index(max(shares))
    # What fits whole is shown whole: the beginning of an article says whom it is for.
    if sum(len(paragraph) + 2 for paragraph in paragraphs) <= limit:
        start = 0
    text = paragraphs[start]
    for paragraph in paragraphs[start + 1 :]:
        if len(text) + len(paragraph) + 2 > limit:
            break
        text = f"{text}\n\n{paragraph}"
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _share(paragraph: str, beginnings: list[str]) -> int:
    words = [plain(word) for word in words_of(paragraph)]
    return sum(any(word.startswith(beginning) for word in words) for beginning in beginnings)
