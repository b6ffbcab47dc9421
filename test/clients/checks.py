"""Calls served models with the Python clients of other APIs, and prints one JSON line per call.

The argument is a JSON object with the address of each model. Results are compared with those of /predict.
"""

import json
import math
import os
import sys
import urllib.request
from importlib.metadata import version

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_TOKEN", "none")

URLS = json.loads(sys.argv[1])
TEXTS = ["Anna lives in Berlin.", "So does Ben.", "the movie was bad"]
QUERY = "Where does Anna live?"
DOCUMENTS = ["Ben likes tea.", "Anna lives in Paris.", "Nothing of the kind."]


def post(model, path, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request(URLS[model] + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def predicted_vectors(texts):
    results = post("sentence", "/predict", {"inputs": texts, "normalize": True})["results"]
    return [result["embedding"] for result in results]


def predicted_ranking():
    inputs = [[QUERY, document] for document in DOCUMENTS]
    logits = [result["logits"][0] for result in post("reranker", "/predict", {"inputs": inputs})["results"]]
    scores = [1 / (1 + math.exp(-logit)) for logit in logits]
    return sorted(enumerate(scores), key=lambda pair: -pair[1])


def same_vectors(actual, texts=TEXTS):
    expected = predicted_vectors(texts)
    actual = [list(map(float, vector)) for vector in actual]
    assert len(actual) == len(expected), f"{len(actual)} vectors instead of {len(expected)}"
    worst = max(abs(a - b) for one, other in zip(actual, expected) for a, b in zip(one, other))
    assert all(len(a) == len(b) for a, b in zip(actual, expected)), "other dimensions"
    assert worst < 1e-6, f"differs from /predict by {worst}"


def same_ranking(actual, top=len(DOCUMENTS)):
    expected = predicted_ranking()[:top]
    assert [index for index, _ in actual] == [index for index, _ in expected], f"order {actual}"
    worst = max(abs(a - b) for (_, a), (_, b) in zip(actual, expected))
    assert worst < 1e-6, f"differs from /predict by {worst}"


CHECKS = []


def check(package, door, call):
    def add(function):
        CHECKS.append((package, door, call, function))
        return function

    return add


def results_of(response):
    results = response["results"] if isinstance(response, dict) else response.results
    read = lambda item, name: item[name] if isinstance(item, dict) else getattr(item, name)
    return [(read(item, "index"), read(item, "relevance_score")) for item in results]


@check("cohere", "/v1/rerank", "Client.rerank")
def _():
    import cohere

    client = cohere.Client("none", base_url=URLS["reranker"])
    response = client.rerank(model="any", query=QUERY, documents=DOCUMENTS, top_n=2, return_documents=True)
    same_ranking(results_of(response), 2)
    assert response.results[0].document.text == DOCUMENTS[response.results[0].index]


@check("cohere", "/v2/rerank", "ClientV2.rerank")
def _():
    import cohere

    client = cohere.ClientV2("none", base_url=URLS["reranker"])
    response = client.rerank(model="any", query=QUERY, documents=DOCUMENTS, max_tokens_per_doc=4096)
    same_ranking(results_of(response))
    long = client.rerank(model="any", query=QUERY, documents=["word " * 500])
    assert "1 of 1 documents was truncated" in long.meta.warnings[0]


@check("cohere", "/v2/rerank", "ClientV2.rerank, error")
def _():
    import cohere

    client = cohere.ClientV2("none", base_url=URLS["sentence"])
    try:
        client.rerank(model="any", query=QUERY, documents=DOCUMENTS)
    except cohere.NotFoundError as error:
        assert "requires a sequence_classification model" in str(error.body)
        return
    raise AssertionError("no error")


@check("cohere", "/v2/embed", "ClientV2.embed")
def _():
    import cohere

    client = cohere.ClientV2("none", base_url=URLS["sentence"])
    types = ["float", "int8", "uint8", "binary", "ubinary"]
    vectors = client.embed(model="any", texts=TEXTS, input_type="classification", embedding_types=types).embeddings
    same_vectors(vectors.float_)
    for one in range(len(TEXTS)):
        assert [value - 128 for value in vectors.uint8[one]] == vectors.int8[one]
        assert [value - 128 for value in vectors.ubinary[one]] == vectors.binary[one]
        bits = "".join(f"{byte:08b}" for byte in vectors.ubinary[one])
        assert [bit == "1" for bit in bits] == [value > 0 for value in vectors.float_[one]]


@check("langchain-cohere", "/v2/rerank", "CohereRerank.rerank")
def _():
    from langchain_cohere import CohereRerank

    ranker = CohereRerank(model="any", cohere_api_key="none", base_url=URLS["reranker"], top_n=3)
    same_ranking([(item["index"], item["relevance_score"]) for item in ranker.rerank(DOCUMENTS, QUERY)])


@check("llama-index-postprocessor-cohere-rerank", "/v2/rerank", "CohereRerank.postprocess_nodes")
def _():
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.postprocessor.cohere_rerank import CohereRerank

    ranker = CohereRerank(model="any", api_key="none", base_url=URLS["reranker"], top_n=3)
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in DOCUMENTS]
    ranked = ranker.postprocess_nodes(nodes, query_str=QUERY)
    same_ranking([(DOCUMENTS.index(item.node.get_content()), item.score) for item in ranked])


def litellm_rerank(provider, path):
    import litellm

    response = litellm.rerank(
        model=f"{provider}/any",
        query=QUERY,
        documents=DOCUMENTS,
        top_n=2,
        # With infinity, LiteLLM expects documents as text instead of objects.
        return_documents=provider != "infinity",
        api_base=URLS["reranker"] + path,
        api_key="none",
    )
    same_ranking(results_of(response), 2)


for PROVIDER, DOOR, PATH in [
    ("cohere", "/v2/rerank", "/v2/rerank"),
    ("jina_ai", "/v1/rerank", ""),
    ("huggingface", "/rerank", ""),
    ("infinity", "/rerank", ""),
    ("hosted_vllm", "/v1/rerank", ""),
]:
    check("litellm", DOOR, f"rerank {PROVIDER}")(lambda provider=PROVIDER, path=PATH: litellm_rerank(provider, path))


@check("litellm", "/v1/embeddings", "embedding openai")
def _():
    import litellm

    response = litellm.embedding(
        model="openai/any", input=TEXTS, api_base=URLS["sentence"] + "/v1", api_key="none"
    )
    same_vectors([item["embedding"] for item in response.data])


@check("openai", "/v1/embeddings", "embeddings.create")
def _():
    from openai import OpenAI

    client = OpenAI(api_key="none", base_url=URLS["sentence"] + "/v1")
    same_vectors([item.embedding for item in client.embeddings.create(model="any", input=TEXTS).data])
    extra = {"truncate": "END"}
    response = client.embeddings.create(model="any", input="word " * 500, extra_body=extra)
    assert response.usage.model_extra["truncated_inputs"] == 1


@check("langchain-openai", "/v1/embeddings", "OpenAIEmbeddings, check_embedding_ctx_length=False")
def _():
    from langchain_openai import OpenAIEmbeddings

    client = OpenAIEmbeddings(
        model="any", api_key="none", base_url=URLS["sentence"] + "/v1", check_embedding_ctx_length=False
    )
    same_vectors(client.embed_documents(TEXTS))


@check("langchain-openai", "/v1/embeddings", "OpenAIEmbeddings, token ids of another tokenizer")
def _():
    import tiktoken
    from langchain_openai import OpenAIEmbeddings

    # A tokenizer of bytes: the vocabulary of OpenAI is a download.
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={})
    tiktoken.encoding_for_model = tiktoken.get_encoding = lambda _name: encoding
    client = OpenAIEmbeddings(model="any", api_key="none", base_url=URLS["sentence"] + "/v1")
    try:
        client.embed_documents(TEXTS)
    except Exception as error:
        assert "check_embedding_ctx_length=False" in str(error), str(error)
        return
    raise AssertionError("the ids were accepted")


@check("llama-index-embeddings-openai-like", "/v1/embeddings", "OpenAILikeEmbedding")
def _():
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding

    client = OpenAILikeEmbedding(model_name="any", api_key="none", api_base=URLS["sentence"] + "/v1")
    # This client replaces line breaks only.
    same_vectors(client.get_text_embedding_batch(TEXTS))


@check("llama-index-embeddings-text-embeddings-inference", "/embed", "TextEmbeddingsInference")
def _():
    from llama_index.embeddings.text_embeddings_inference import TextEmbeddingsInference

    client = TextEmbeddingsInference(model_name="any", base_url=URLS["sentence"])
    same_vectors(client.get_text_embedding_batch(TEXTS))


def hugging_face(model, path=""):
    from huggingface_hub import InferenceClient

    return InferenceClient(model=URLS[model] + path)


for PATH in ["/", "/embed"]:

    @check("huggingface_hub", PATH, "feature_extraction")
    def _(path=PATH):
        vectors = hugging_face("sentence", path).feature_extraction(TEXTS[0], truncate=True)
        same_vectors(vectors, TEXTS[:1])


for PATH in ["/", "/similarity"]:

    @check("huggingface_hub", PATH, "sentence_similarity")
    def _(path=PATH):
        similar = hugging_face("sentence", path).sentence_similarity(TEXTS[0], other_sentences=TEXTS[1:])
        first, *others = predicted_vectors(TEXTS)
        expected = [sum(a * b for a, b in zip(first, other)) for other in others]
        assert max(abs(a - b) for a, b in zip(similar, expected)) < 1e-6, similar


for PATH in ["/", "/predict"]:

    @check("huggingface_hub", PATH, "text_classification")
    def _(path=PATH):
        labels = hugging_face("sentiment", path).text_classification(TEXTS[2], top_k=2)
        top = post("sentiment", "/predict", {"inputs": [TEXTS[2]], "top_k": 2})["results"][0]["top"]
        assert [(a.label, a.score) for a in labels] == [(b["label"], b["score"]) for b in top], labels


@check("huggingface_hub", "/", "token_classification")
def _():
    found = hugging_face("ner").token_classification(TEXTS[0], aggregation_strategy="simple")
    body = {"inputs": [TEXTS[0]], "aggregation": "simple"}
    expected = post("ner", "/predict", body)["results"][0]["entities"]
    assert [(a.word, a.score, a.start) for a in found] == [(b["word"], b["score"], b["start"]) for b in expected]


@check("haystack-ai", "/", "HuggingFaceAPITextEmbedder")
def _():
    from haystack.components.embedders import HuggingFaceAPITextEmbedder

    embedder = HuggingFaceAPITextEmbedder(
        api_type="text_embeddings_inference", api_params={"url": URLS["sentence"]}, token=None, normalize=True
    )
    same_vectors([embedder.run(text=TEXTS[0])["embedding"]], TEXTS[:1])


@check("haystack-ai", "/rerank", "HuggingFaceTEIRanker")
def _():
    from haystack import Document
    from haystack.components.rankers import HuggingFaceTEIRanker

    ranker = HuggingFaceTEIRanker(url=URLS["reranker"], token=None)
    documents = [Document(content=text) for text in DOCUMENTS]
    ranked = ranker.run(query=QUERY, documents=documents)["documents"]
    same_ranking([(DOCUMENTS.index(item.content), item.score) for item in ranked])


for package, door, call, function in CHECKS:
    row = {"client": package, "version": version(package), "door": door, "call": call}
    try:
        function()
        row["problem"] = None
    except Exception as error:
        row["problem"] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(row), flush=True)
