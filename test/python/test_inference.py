import json
import subprocess
import unittest

import encoderfile
from support import ModelTest, executable, lists, model_folder, numpy

UNUSUAL = ["-x", "--help", "$(touch pwned) `id`; rm", "a\nb\r\n", "\x00", "héllo 😀", "\ud800", "a" * 5000]


class SentenceTest(ModelTest):
    def test_vectors_match_infer(self):
        texts = ["-I love this", "a\nb", "héllo"]
        command = [self.model.path, "infer", "--", *texts]
        expected = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["embeddings"]
        for vector, other in zip(lists(self.model.embed(texts)), expected):
            for value, wanted in zip(vector, other):
                self.assertAlmostEqual(value, wanted, places=6)

    def test_any_text_is_accepted_as_data(self):
        vectors = lists(self.model.embed(UNUSUAL))
        self.assertEqual([len(vector) for vector in vectors], [32] * len(UNUSUAL))

    def test_results_are_in_order_for_any_number_of_texts(self):
        texts = [f"number {index % 7}" for index in range(1200)]
        vectors = lists(self.model.embed(text for text in texts))
        self.assertEqual(len(vectors), 1200)
        for index, vector in enumerate(vectors):
            self.assertAlmostEqual(vector[0], vectors[index % 7][0], places=5)

    def test_a_request_is_limited_in_bytes(self):
        texts = ["word " * 30_000] * 30
        self.assertEqual(len(self.model.embed(texts)), 30)

    def test_an_empty_list_has_no_vectors(self):
        self.assertEqual(len(self.model.embed([])), 0)

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_arrays_if_numpy_is_installed(self):
        vectors = self.model.embed(["a", "b"])
        self.assertEqual((vectors.shape, str(vectors.dtype)), ((2, 32), "float32"))
        self.assertEqual(self.model.embed([], dimensions=8).shape, (0, 8))

    @unittest.skipUnless(numpy is None, "NumPy is installed")
    def test_lists_without_numpy(self):
        vectors = self.model.embed(["a"])
        self.assertIsInstance(vectors, list)
        self.assertIsInstance(vectors[0], list)

    def test_options_change_the_vectors(self):
        self.assertEqual(len(self.model.embed(["a"], dimensions=4)[0]), 4)
        plain, query, prompt = (
            lists(self.model.embed(["a"], **options))
            for options in ({}, {"prompt_name": "query"}, {"prompt": "search for: "})
        )
        self.assertNotEqual(plain, query)
        self.assertEqual(query, prompt)

    def test_inputs_that_the_model_rejects_have_its_sentences(self):
        error = encoderfile.InputError
        self.rejects(error, "^Cannot tokenize empty string$", self.model.embed, ["a", ""])
        self.rejects(error, '^unknown key "lables"', self.model.embed, ["a"], lables=[])
        self.rejects(error, "^dimensions must be at most 32, not 100$", self.model.embed, ["a"], dimensions=100)

    def test_wrong_inputs_are_one_sentence(self):
        error = encoderfile.InputError
        self.rejects(error, r"^The inputs must be a list, not a single str\. Pass \[input\]\.$", self.model.embed, "a")
        self.rejects(error, r"^Input 1 must be a text, not int\.$", self.model.embed, ["a", 1])
        self.rejects(error, r"^Input 0 must be a text, not NoneType\.$", self.model.embed, [None])
        self.rejects(error, "^Input 0 is an image, but this model only reads texts", self.model.embed, [b"x"])
        self.rejects(error, "pooling requires a model of type embedding", self.model.embed, ["a"], pooling="none")

    def test_the_wrong_method_is_one_sentence(self):
        message = r"^sentence is of type sentence_embedding\. Use embed\(\) instead of predict\(\)\.$"
        self.rejects(encoderfile.InputError, message, self.model.predict, ["a"])
        with encoderfile.Encoderfile(executable("ner")) as ner:
            message = r"^ner is of type token_classification\. Use predict\(\) instead of embed\(\)\.$"
            self.rejects(encoderfile.InputError, message, ner.embed, ["a"])

    def test_info(self):
        info = self.model.info
        self.assertEqual((info.name, info.model_type, info.dimensions), ("sentence", "sentence_embedding", 32))
        self.assertEqual((info.max_length, info.labels, info.precision), (64, None, "float32"))


class OtherTypesTest(unittest.TestCase):
    def predict(self, name, inputs, **options):
        with encoderfile.Encoderfile(executable(name)) as model:
            return model.predict(inputs, **options)

    def embed(self, name, inputs, **options):
        with encoderfile.Encoderfile(executable(name)) as model:
            return model.embed(inputs, **options)

    def test_classification(self):
        one, other = self.predict("sentiment", ["I love this", "this is awful"])
        self.assertEqual((one["predicted_label"], other["predicted_label"]), ("POSITIVE", "NEGATIVE"))

    def test_entities(self):
        (result,) = self.predict("ner", ["Anna lives in Berlin."], aggregation="simple")
        self.assertEqual([entity["word"] for entity in result["entities"]], ["Anna", "Berlin"])

    def test_questions(self):
        (result,) = self.predict("qa", [{"question": "Where does Anna live?", "context": "Anna lives in Berlin."}])
        self.assertIn("answer", result["answers"][0])

    def test_token_vectors(self):
        self.assertEqual([len(vector) for vector in self.embed("embedder", ["a b", "c"])], [32, 32])
        self.assertEqual([len(tokens) for tokens in self.embed("embedder", ["a b", "c"], pooling="none")], [2, 1])

    def test_vectors_of_queries_and_documents(self):
        query, document = (self.embed("multi-vector", ["a dog"], input_type=kind)[0] for kind in ("query", "document"))
        self.assertGreater(len(query), len(document))

    def test_sparse_vectors(self):
        (vector,) = self.embed("splade", ["I love this"])
        self.assertEqual(len(vector["indices"]), len(vector["values"]))

    def test_images(self):
        images = model_folder("patches").parents[1] / "images"
        image = sorted(images.rglob("*.png"))[0]
        paths, contents = (lists(self.embed("patches", [value])) for value in (str(image), image.read_bytes()))
        self.assertEqual(paths, contents)
        with self.assertRaisesRegex(encoderfile.InputError, r"^No such image: nothere\.png\.$"):
            self.embed("patches", ["nothere.png"])
        with encoderfile.Encoderfile(executable("clip")) as clip:
            self.assertEqual(len(clip.embed(["a circle", image, image.read_bytes()])), 3)
