"""The sentence filter of text as it comes: only what may be a claim waits, at most for its sentence's end."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from agent.claims.finding import claim_in, may_claim
from agent.claims.judging import Judge, replaced
from agent.claims.reading import read
from agent.claims.sentences import end_of_first, speaks_known_language
from agent.claims.vocabulary import FIRST_PARTS

MOST_CHARS = 400
MOST_SECONDS = 1.5

_LAST_WORD = re.compile(r"(?:<[^>]*|&\w*;?[^\s]*|(?<!\w)(?:\w[ .\-_]){2,}\w?|\S+)$", re.DOTALL)
_CARRIES = re.compile(
    r"[^\w\s.,!?:()'\"/…-]|[^\x00-\x7fäöüÄÖÜß–—€]"
)  # marks, tags and signs that may hide a word's rest


@dataclass
class Filter:
    """Takes a turn's text piece by piece; `shown` is what may be seen of it so far.

    `shown` grows at its end, except where a sentence that had begun turns out to be an unbacked claim: its first
    words are taken back. Where `is_careful`, asked with the first piece, everything waits until the text is known to be
    English or German.
    """

    judge: Judge
    is_careful: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic
    shown: str = ""
    _done: str = ""  # shown, up to the sentence that is being read
    _sentence: str = ""  # all of it as far as it came, shown or not
    _since: float | None = None  # when it began to wait
    _is_swallowed: bool = False  # judged unbacked before its end: the rest goes with it
    _knows_language: bool | None = None
    _waiting: str = ""  # all text, while its language is not known

    def add(self, piece: str) -> None:
        """Read one more piece."""
        if self._knows_language is None:
            self._knows_language = not self.is_careful()
        if not self._knows_language:
            self._waiting += piece
            if not speaks_known_language(self._waiting):
                return
            self._knows_language, piece, self._waiting = True, self._waiting, ""
        self._sentence += piece
        while end := end_of_first(self._sentence):
            self._close(self._sentence[:end])
            self._sentence = self._sentence[end:]
        self._go_on()

    def look(self) -> None:
        """Let go of what has waited long enough. Call it now and then."""
        if self._since is not None and self.clock() - self._since >= MOST_SECONDS:
            self._cut()

    def _go_on(self) -> None:
        """Show of an open sentence what cannot become a claim."""
        if self._is_swallowed or not self._sentence:
            return
        end = _safe_end(self._sentence)
        if not (may_claim(self._sentence) or claim_in(self._sentence) or claim_in(self._sentence[:end])):
            self._pass(end)
            return
        if self._since is None:
            self._since = self.clock()
        if len(self._sentence) >= MOST_CHARS or self.clock() - self._since >= MOST_SECONDS:
            self._cut()

    def _cut(self) -> None:
        """Judge a sentence that takes too long, as far as its words are whole; its rest is judged with it again."""
        self._since = None
        end = _safe_end(self._sentence)
        if self.judge.allows(self._sentence[:end]):
            self._pass(end)
        else:
            self._replace(self._sentence[:end])
            self._is_swallowed = True

    def _pass(self, end: int) -> None:
        """Show the open sentence so far. One without an end is forgotten piece by piece, or it would cost ever more."""
        self._show(self._sentence[:end])
        if end >= 2 * MOST_CHARS:
            self._done, self._sentence = self.shown, self._sentence[end:]

    def _close(self, sentence: str) -> None:
        swallowed, self._is_swallowed, self._since = self._is_swallowed, False, None
        if swallowed:
            return
        if self.judge.allows(sentence):
            self._show(sentence)
            self._done += sentence  # what is shown may be longer: "1" before it is known to begin a line of a list
        else:
            self._replace(sentence)

    def _show(self, so_far: str) -> None:
        text = self._done + so_far
        if len(text) > len(self.shown):
            self.shown = text

    def _replace(self, sentence: str) -> None:
        self._done = self.shown = replaced(self._done, sentence)


def _safe_end(text: str) -> int:
    """The offset up to which no word can still become a sign: a word that is only begun waits for its next letters."""
    found = _LAST_WORD.search(text)
    if found is None:
        return len(text)
    word = found[0].replace("’", "'")
    plain = re.sub(r"\W", "", read(word))
    is_hidden = (len(word) > 1 and _CARRIES.search(word)) or " " in word or word[0] in "<&" or "'" in word[1:]
    return found.start() if is_hidden or plain in FIRST_PARTS else len(text)
