"""Addresses of the chat, the confirmation page and the customer's history."""

from django.urls import path

from agent.views import chat, confirm, history, programs, stream

app_name = "agent"

urlpatterns = [
    path("", chat.home, name="home"),
    path("start/", chat.start, name="start"),
    path("person/", chat.person_new, name="person_new"),
    path("conversations/<uuid:pk>/", chat.conversation, name="conversation"),
    path("conversations/<uuid:pk>/person/", chat.person, name="person"),
    path("conversations/<uuid:pk>/events/", stream.events, name="events"),
    path("runs/<uuid:pk>/", chat.run, name="run"),
    path("runs/<uuid:pk>/stop/", chat.stop, name="stop"),
    path("actions/<uuid:pk>/", confirm.action, name="action"),
    path("history/", history.history, name="history"),
    path("history/download/", history.download, name="history_download"),
    path("programs/", programs.programs, name="programs"),
    path("programs/token/", programs.token_new, name="token_new"),
]
