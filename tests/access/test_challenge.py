"""What a caller without a good token is told."""

from agent.access.challenge import INSUFFICIENT_SCOPE, INVALID_TOKEN, challenge


def test_challenge_names_the_metadata_and_all_scopes(settings) -> None:
    settings.PUBLIC_URL = "https://shop.example"
    assert challenge() == (
        'Bearer scope="read propose", resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp"'
    )


def test_challenge_says_what_is_wrong_with_a_token() -> None:
    assert challenge(error=INVALID_TOKEN).startswith('Bearer error="invalid_token", scope="read propose", resource')


def test_challenge_names_the_scope_that_is_missing() -> None:
    assert 'error="insufficient_scope", scope="propose", ' in challenge(error=INSUFFICIENT_SCOPE, scope="propose")
