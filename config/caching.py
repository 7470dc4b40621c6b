"""Who may keep an answer: nobody, unless the answer says so."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

Handler = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]


@sync_and_async_middleware
def nothing_is_kept(get_response: Handler) -> Handler:
    """No browser or proxy keeps an answer that does not say that it may be kept: pages of the sign-in, errors too."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            return _not_kept(await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponse:
        return _not_kept(get_response(request))  # type: ignore[arg-type]

    return answer


def _not_kept(response: HttpResponse) -> HttpResponse:
    response.headers.setdefault("Cache-Control", "no-store, private")
    return response
