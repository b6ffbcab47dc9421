"""Calls the gateway with lumigator-sdk, unmodified. Prints a line of JSON for each check: a name, and a problem or null."""

import json
import sys
import time
from io import BytesIO

from loguru import logger
from lumigator_schemas.datasets import DatasetFormat
from lumigator_schemas.experiments import ExperimentCreate
from lumigator_schemas.jobs import GenerationConfig, JobAnnotateConfig, JobCreate, JobEvalConfig, JobInferenceConfig, JobType
from lumigator_schemas.workflows import WorkflowCreateRequest
from lumigator_sdk.lumigator import LumigatorClient
from lumigator_sdk.settings_secrets import Secrets
from requests import HTTPError

logger.remove()
HOST = sys.argv[1]
MODEL = {"model": "good", "provider": "openai"}
CSV = b"examples,ground_truth\nSay hello,hello\nSay goodbye,goodbye\n"


def check(name):
    def run(function):
        try:
            problem = function()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps({"name": name, "problem": problem}), flush=True)

    return run


class Named(BytesIO):
    name = "greetings.csv"


# The gateway also answers the one request that the client sends to Ray: whether a job has ended.
client = LumigatorClient(HOST, ray_host=HOST)
kept = {}


@check("health")
def _():
    health = client.health.healthcheck()
    assert health.ok() and health.deployment_type == "local"


@check("datasets: create, get, list, link")
def _():
    dataset = client.datasets.create_dataset(Named(CSV), DatasetFormat.JOB)
    kept["dataset"] = dataset.id
    assert dataset.filename == "greetings.csv" and dataset.ground_truth and dataset.size == len(CSV)
    assert client.datasets.get_dataset(dataset.id) == dataset
    assert client.datasets.get_datasets().items[0] == dataset
    assert client.datasets.get_dataset_link(dataset.id, "csv").download_urls[0].startswith("http")


@check("models: by task, and all")
def _():
    assert client.models.get_suggested_models(["summarization", "translation"]).total > 0
    assert client.models.get_suggested_models().total > 0


@check("secrets: upload, list, is configured, delete")
def _():
    secrets = client.settings.secrets
    assert secrets.upload_api_key(Secrets.APIKey.OPENAI, "sk-secret")
    assert [secret.name for secret in secrets.list_secrets()] == ["openai_api_key"]
    assert secrets.is_api_key_configured(Secrets.APIKey.OPENAI)
    assert secrets.delete_api_key(Secrets.APIKey.OPENAI)
    assert secrets.list_api_keys() == []


@check("experiments: create, get, list")
def _():
    experiment = client.experiments.create_experiment(ExperimentCreate(name="greetings", dataset=kept["dataset"]))
    kept["experiment"] = experiment.id
    assert client.experiments.get_experiment(experiment.id).name == "greetings"
    assert client.experiments.get_experiments().items[0].id == experiment.id


@check("workflows: create, get, logs, results")
def _():
    request = WorkflowCreateRequest(name="first", experiment_id=kept["experiment"], metrics=["rouge"], **MODEL)
    workflow = client.workflows.create_workflow(request)
    kept["workflow"] = workflow.id
    for _ in range(600):
        details = client.workflows.get_workflow(workflow.id)
        if details.status in ("succeeded", "failed"):
            break
        time.sleep(0.1)
    assert details.status == "succeeded", details.status
    assert "rouge_rouge1_mean" in details.metrics and len(details.jobs) == 2
    assert client.workflows.get_workflow_logs(workflow.id).logs
    assert client.experiments.get_experiment(kept["experiment"]).workflows[0].id == workflow.id


@check("jobs: inference, wait, dataset, result, download")
def _():
    config = JobInferenceConfig(generation_config=GenerationConfig(max_new_tokens=5), **MODEL)
    job = client.jobs.create_job(JobCreate(name="answers", dataset=kept["dataset"], job_config=config))
    assert client.jobs.wait_for_job(job.id, poll_wait=0.1)["status"] == "SUCCEEDED"
    assert client.jobs.get_job(job.id).job_type == JobType.INFERENCE
    kept["answers"] = client.jobs.get_job_dataset(job.id).id
    assert client.jobs.get_job_result(job.id).job_id == job.id
    assert client.jobs.get_job_download(job.id).download_url.startswith("http")


@check("jobs: annotation and evaluation")
def _():
    annotation = JobCreate(name="truth", dataset=kept["dataset"], job_config=JobAnnotateConfig(**MODEL))
    evaluation = JobCreate(name="scores", dataset=kept["answers"], job_config=JobEvalConfig(metrics={"rouge", "meteor"}))
    for request in (annotation, evaluation):
        job = client.jobs.create_job(request)
        assert client.jobs.wait_for_job(job.id, poll_wait=0.1)["status"] == "SUCCEEDED"
    assert client.jobs.get_jobs().total >= 5
    assert {job.job_type for job in client.jobs.get_jobs_per_type(JobType.EVALUATION).items} == {JobType.EVALUATION}


@check("a body that is not JSON is refused with 422")
def _():
    for body in ("{", "text", ""):
        for path in ("experiments", "workflows", "jobs/inference/"):
            try:
                client.client.get_response(path, "POST", data=body)
            except HTTPError as error:
                assert error.response.status_code == 422, f"{path}: {error.response.status_code}"
                assert "detail" in error.response.json()
            else:
                raise AssertionError(f"{path} accepts {body!r}")


@check("experiments and datasets: delete")
def _():
    client.experiments.delete_experiment(kept["experiment"])
    client.datasets.delete_dataset(kept["dataset"])
    assert client.experiments.get_experiments().total == 0


@check("defect of the client: delete_workflow passes an argument that its own function lacks")
def _():
    try:
        client.workflows.delete_workflow("none")
    except TypeError:
        return None
    return "The defect is gone; check the answer of the gateway instead."
