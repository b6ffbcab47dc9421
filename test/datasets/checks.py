"""Uses datasets and exports of the gateway with the programs of others. Prints a line of JSON for each check: a name, and a problem or null.

The argument is a JSON object: `url` of the gateway, its process id (`pid`) and command line (`gateway`), URLs of the servers (`s3`, `mlflow`), the
URL by which buckets have names (`s3_domain`, or null), a `folder` for files, and the number of `rows` of an upload.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
GIVEN = json.loads(sys.argv[1])
URL, FOLDER = GIVEN["url"], GIVEN["folder"]
CSV = "text,label\n" + "".join(f"Text {row} ä,label{row % 3}\n" for row in range(GIVEN["rows"]))
COLUMNS = {"examples": "text", "ground_truth": "label"}


def check(name):
    def run(function):
        try:
            problem = function()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps({"name": name, "problem": problem}), flush=True)

    return run


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}{path}", data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def rows_of(dataset):
    import pyarrow.parquet

    _, answer = call("GET", f"/api/v1/datasets/{dataset}/download?extension=parquet")
    path = os.path.join(FOLDER, f"{dataset}.parquet")
    urllib.request.urlretrieve(answer["download_urls"][0], path)
    return pyarrow.parquet.read_table(path)


KEY = "a b/ä+(1)'!*~.csv"
SECRETS = {"s3": "secretkey123", "wrong": "other"}


def imported(key, **more):
    options = {"access_key_id": "AKIDTEST", "secret_key_name": "s3", **more}
    body = {"source": f"s3://reviews/{key}", "columns": COLUMNS, "s3": options}
    status, answer = call("POST", "/api/v1/datasets/import", body)
    return status, answer.get("row_count") if status == 201 else answer["error"]["message"].split(" for /")[0].split(" with ")[1]


@check("versitygw: objects of S3 with bucket names in paths, and refusals")
def _():
    import boto3
    from botocore.config import Config

    keys = {"aws_access_key_id": "AKIDTEST", "aws_secret_access_key": "secretkey123", "region_name": "us-east-1"}
    s3 = boto3.client("s3", endpoint_url=GIVEN["s3"], **keys, config=Config(s3={"addressing_style": "path"}))
    s3.create_bucket(Bucket="reviews")
    for key in ["reviews.csv", KEY]:
        s3.put_object(Bucket="reviews", Key=key, Body=b"text,label\nGood,POSITIVE\nBad,NEGATIVE\n")
    for name, value in SECRETS.items():
        call("PUT", f"/api/v1/settings/secrets/{name}", {"value": value})
    path = {"endpoint": GIVEN["s3"]}
    assert imported("reviews.csv", **path) == (201, 2), imported("reviews.csv", **path)
    assert imported(KEY, **path) == (201, 2)
    assert imported("reviews.csv", secret_key_name="wrong", **path) == (422, "SignatureDoesNotMatch (status 403)")
    assert imported("none.csv", **path) == (422, "NoSuchKey (status 404)")
    assert imported("reviews.csv", region="eu-west-1", **path)[1].startswith("AuthorizationHeaderMalformed")


if GIVEN["s3_domain"] is not None:

    @check("versitygw: objects of S3 with bucket names in host names")
    def _():
        host = {"endpoint": GIVEN["s3_domain"], "path_style": False}
        assert imported("reviews.csv", **host) == (201, 2), imported("reviews.csv", **host)
        assert imported(KEY, **host) == (201, 2)
        assert imported("reviews.csv", secret_key_name="wrong", **host) == (422, "SignatureDoesNotMatch (status 403)")


@check("tuspy: an upload continues after the gateway was killed")
def _():
    from tusclient.client import TusClient

    path = os.path.join(FOLDER, "rows.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CSV)
    client = TusClient(f"{URL}/api/v1/uploads")
    metadata = {"filename": "rows.csv", "columns": json.dumps(COLUMNS)}
    uploader = client.uploader(path, chunk_size=200_000, metadata=metadata)
    uploader.upload(stop_at=800_000)
    os.kill(GIVEN["pid"], signal.SIGKILL)
    # The script starts it again on the same port.
    for _ in range(300):
        try:
            call("GET", "/health")
            break
        except OSError:
            time.sleep(0.2)
    again = client.uploader(path, chunk_size=300_000, url=uploader.url)
    assert again.offset == 800_000, again.offset
    again.upload()
    _, upload = call("GET", uploader.url.removeprefix(URL))
    table = rows_of(upload["dataset_id"])
    texts, labels = table.column("examples").to_pylist(), table.column("ground_truth").to_pylist()
    assert texts == [f"Text {row} ä" for row in range(GIVEN["rows"])]
    assert labels == [f"label{row % 3}" for row in range(GIVEN["rows"])]


@check("pyarrow: rows of all types")
def _():
    rows = [
        {"examples": f"t {at} ä🎉", "ground_truth": [["a", None], [], None][at % 3], "n": at if at % 7 else None, "x": at / 3, "b": [None, True, False][at % 3], "big": 2**52 + at}
        for at in range(2500)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    request = urllib.request.Request(f"{URL}/api/v1/datasets/?filename=a.jsonl", text.encode(), {"Content-Type": "application/jsonl"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        dataset = json.load(answer)["id"]
    table = rows_of(dataset)
    assert table.to_pylist() == rows
    assert [str(field.type) for field in table.schema] == ["string", "list<element: string>", "int64", "double", "bool", "int64"], table.schema


def run(*arguments):
    environment = {**os.environ, "GATEWAY_URL": URL}
    found = subprocess.run([*GIVEN["gateway"], *arguments], env=environment, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    return found.stdout


EXPERIMENT = """
name: greetings
tags: [nightly]
dataset: few.csv
columns: {examples: text, ground_truth: label}
task: text-generation
system_prompt: Repeat.
repeats: 2
metrics: [bleu]
custom_metrics: [{name: short, lua: "function score(answer) return #answer < 1000 end"}]
models: [{name: good, model: "openai:good"}]
"""
made = {}


@check("an experiment with a Lua function and repeats")
def _():
    for name, text in [("few.csv", "text,label\nHello,Hello\nBye,Bye\n"), ("e.yml", EXPERIMENT)]:
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
            file.write(text)
    comparison = json.loads(run("experiment", "run", "-f", os.path.join(FOLDER, "e.yml"), "--format", "json"))
    made["id"] = comparison["experiment"]["id"]
    assert comparison["repeats"][0]["metrics"]["short"] == {"mean": 1, "deviation": 0, "min": 1, "max": 1}


@check("datasets: the exported files load without a network")
def _():
    import datasets

    folder = os.path.join(FOLDER, "export")
    run("experiment", "export", made["id"], "--to", "huggingface", "-o", folder)
    assert sorted(datasets.get_dataset_config_names(folder)) == ["good", "good-2"]
    loaded = datasets.load_dataset(folder, "good-2", split="test", cache_dir=os.path.join(FOLDER, "cache"))
    assert loaded.num_rows == 2 and loaded[0]["examples"] == "Hello"


@check("mlflow: runs with parameters, metrics and artifacts, which a second export replaces")
def _():
    import mlflow

    mlflow.set_tracking_uri(GIVEN["mlflow"])
    for _ in range(2):
        ids = run("experiment", "export", made["id"], "--to", "mlflow", "--mlflow-url", GIVEN["mlflow"]).split()
    client = mlflow.MlflowClient()
    runs = mlflow.search_runs(experiment_names=["greetings"], output_format="list")
    assert sorted(one.info.run_id for one in runs) == sorted(ids) and len(ids) == 2
    for one in runs:
        assert one.info.status == "FINISHED" and one.data.metrics["short"] == 1 and "p95_latency_ms" in one.data.metrics
        assert one.data.params["model"] == "openai:good"
        assert [found.path for found in client.list_artifacts(one.info.run_id)] == ["answers.csv", "comparison.md"]
        with open(client.download_artifacts(one.info.run_id, "answers.csv"), encoding="utf-8") as file:
            assert file.readline().startswith("examples,ground_truth,predictions")
