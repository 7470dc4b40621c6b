"""Text from outside, made safe to put before a model: what nobody can see is gone, and the fence holds.

None of this makes such text trustworthy. Scope (a tool sees one customer's rows) and the gate are the defence.
"""

from agent.untrusted.characters import clean_text, visible_line
from agent.untrusted.fence import fence, harmless, harmless_text
from agent.untrusted.strip import page_to_untrusted_text

__all__ = ["clean_text", "fence", "harmless", "harmless_text", "page_to_untrusted_text", "visible_line"]
