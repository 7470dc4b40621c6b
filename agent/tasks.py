"""What the queue carries: the id of a run, nothing else. Who it is for is read from its row."""

from celery import shared_task

from agent.runs.loop import work


@shared_task(name="agent.tasks.run_agent_task", ignore_result=True)
def run_agent_task(run_id: str) -> None:
    """Work on the run. Any number of deliveries are safe: the claim lets one in."""
    work(run_id)
