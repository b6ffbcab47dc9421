"""Runs the adapters with the libraries that they are for. `npm run test:python` installs these libraries."""

import asyncio
import unittest

import encoderfile
from encoderfile.haystack import EncoderfileDocumentEmbedder, EncoderfileTextEmbedder
from encoderfile.langchain import EncoderfileEmbeddings
from encoderfile.llama_index import EncoderfileEmbedding
from encoderfile.sentence_transformers import SentenceTransformer
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument
from llama_index.core import VectorStoreIndex
from support import ModelTest, executable

TEXTS = ["Anna lives in Berlin.", "The soup was awful."]


class AdaptersTest(ModelTest):
    def setUp(self):
        self.documents = self.model.embed(TEXTS, prompt_name="passage").tolist()
        self.query = self.model.embed(["Berlin"], prompt_name="query")[0].tolist()

    def test_langchain(self):
        embeddings = EncoderfileEmbeddings(executable("sentence"))
        self.assertIsInstance(embeddings, Embeddings)
        self.assertEqual(embeddings.embed_documents(TEXTS), self.documents)
        self.assertEqual(asyncio.run(embeddings.aembed_query("Berlin")), self.query)
        store = InMemoryVectorStore(embeddings)
        store.add_texts(TEXTS)
        self.assertEqual(len(store.similarity_search("Berlin", k=1)), 1)
        plain = EncoderfileEmbeddings(self.model, prompt_name="")
        self.assertEqual(plain.embed_query("Berlin"), self.model.embed(["Berlin"])[0].tolist())

    def test_llama_index(self):
        embedding = EncoderfileEmbedding(self.model, embed_batch_size=10)
        self.assertEqual(embedding.get_text_embedding_batch(TEXTS), self.documents)
        self.assertEqual(embedding.get_query_embedding("Berlin"), self.query)
        self.assertEqual(asyncio.run(embedding.aget_query_embedding("Berlin")), self.query)
        index = VectorStoreIndex.from_documents([LlamaDocument(text=text) for text in TEXTS], embed_model=embedding)
        self.assertEqual(len(index.as_retriever(similarity_top_k=1).retrieve("Berlin")), 1)

    def test_haystack(self):
        store = InMemoryDocumentStore()
        indexing = Pipeline()
        indexing.add_component("embedder", EncoderfileDocumentEmbedder(executable("sentence")))
        indexing.add_component("writer", DocumentWriter(store))
        indexing.connect("embedder", "writer")
        Pipeline.loads(indexing.dumps()).get_component("embedder")
        indexing.run({"embedder": {"documents": [Document(content=text) for text in TEXTS]}})
        stored = {document.content: document.embedding for document in store.filter_documents()}
        self.assertEqual([stored[text] for text in TEXTS], self.documents)
        querying = Pipeline()
        querying.add_component("embedder", EncoderfileTextEmbedder(self.model))
        querying.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=1))
        querying.connect("embedder.embedding", "retriever.query_embedding")
        self.assertEqual(len(querying.run({"embedder": {"text": "Berlin"}})["retriever"]["documents"]), 1)
        with_title = EncoderfileDocumentEmbedder(self.model, meta_fields_to_embed=["title"])
        (document,) = with_title.run([Document(content="b", meta={"title": "a"})])["documents"]
        self.assertEqual(document.embedding, self.model.embed(["a\nb"], prompt_name="passage")[0].tolist())

    def test_sentence_transformers(self):
        model = SentenceTransformer(executable("sentence"))
        self.assertEqual(model.encode(TEXTS).shape, (2, 32))
        self.assertEqual(model.encode_query("Berlin").tolist(), self.query)
        self.assertEqual(model.encode_document(TEXTS, convert_to_numpy=False), self.documents)
        self.assertEqual(model.encode("a", truncate_dim=4).shape, (4,))
        self.assertEqual(model.get_sentence_embedding_dimension(), 32)
        self.assertEqual(model.similarity(model.encode("a"), model.encode(["a", "b"])).shape, (1, 2))
        self.assertIn("query", model.prompts)
        model.close()

    def test_a_model_without_one_vector_per_text_is_one_sentence(self):
        with self.assertRaisesRegex(encoderfile.InputError, "^ner is of type token_classification, but a model with one vector"):
            EncoderfileEmbeddings(executable("ner")).embed_query("a")


if __name__ == "__main__":
    unittest.main()
