import os
import shutil
import subprocess
import sys

import encoderfile
from encoderfile import EncoderfileBuilder, ModelType
from support import FolderTest, executable, lists, model_folder


class BuildTest(FolderTest):
    def rejects(self, error, message, call, *args, **kwargs):
        with self.assertRaises(error) as caught:
            call(*args, **kwargs)
        self.assertRegex(str(caught.exception), message)

    def test_a_folder_becomes_an_executable(self):
        folder = shutil.copytree(model_folder("sentiment"), self.path("-model"))
        os.remove(os.path.join(folder, "encoderfile.yml"))
        model = encoderfile.build(folder, output=self.path("-out.encoder"))
        self.assertEqual(model.path, self.path("-out.encoder"))
        self.assertEqual((model.model_type, model.info.labels), ("sequence_classification", ["NEGATIVE", "POSITIVE"]))
        with model:
            self.assertEqual(model.predict(["I love this"])[0]["predicted_label"], "POSITIVE")
        self.assertEqual(encoderfile.inspect(model.path).raw["model"], model.info.raw["model"])
        # The output of another model is not replaced.
        self.rejects(encoderfile.ConfigError, "Pass force=True to overwrite", encoderfile.build, model_folder("ner"), output=model)
        self.assertEqual(encoderfile.build(model_folder("ner"), output=model, force=True).info.name, "ner")
        self.assertEqual(sorted(os.listdir(self.folder)), ["-model", "-out.encoder"])

    def test_settings_are_fields_of_a_config_file(self):
        options = {"name": "ü mine", "model_type": "sentence_embedding", "output": self.path("x")}
        settings = {"normalize": False, "prompts": {"query": "q: "}}
        one = encoderfile.build(model_folder("sentence"), settings=settings, **options)
        self.assertEqual(one.info.name, "ü mine")
        # The same program can be run again, and the same settings produce the same bytes.
        with open(one.path, "rb") as file:
            before = file.read()
        encoderfile.build(model_folder("sentence"), settings=settings, **options)
        with open(one.path, "rb") as file:
            self.assertEqual(before, file.read())
        with one:
            self.assertNotAlmostEqual(sum(value * value for value in lists(one.embed(["a"]))[0]), 1, places=3)

    def test_errors_are_the_sentences_of_the_build_tool(self):
        self.rejects(FileNotFoundError, "^No such directory: .*/nothere. Pass a model folder", encoderfile.build, self.path("nothere"))
        self.rejects(encoderfile.ConfigError, "^No model. Pass a folder", encoderfile.build)
        self.rejects(ValueError, "Expected --quantize=int9", encoderfile.build, model_folder("ner"), quantize="int9")
        self.rejects(
            encoderfile.ConfigError, "^name is missing", encoderfile.build, model_folder("ner"), settings={"normalize": True}
        )
        self.rejects(
            encoderfile.ConfigError,
            "unknown key `pulling`",
            encoderfile.build,
            model_folder("sentence"),
            name="x",
            model_type="sentence_embedding",
            settings={"pulling": "cls"},
        )
        self.rejects(FileNotFoundError, "^No such file: ", encoderfile.inspect, self.path("nothere"))
        self.rejects(FileNotFoundError, "^No such file: ", encoderfile.Encoderfile, self.path("nothere"))
        self.rejects(encoderfile.ConfigError, "is not an encoderfile executable", encoderfile.inspect, __file__)
        # A file is checked before it is run.
        self.rejects(encoderfile.ConfigError, "is not an encoderfile executable", encoderfile.Encoderfile(__file__).embed, ["a"])

    def test_a_file_that_cannot_be_executed_is_one_sentence(self):
        path = shutil.copy(executable("sentence"), self.path("model"))
        os.chmod(path, 0o644)
        self.rejects(encoderfile.ServerError, r"cannot be executed\. Run chmod \+x", encoderfile.Encoderfile(path).embed, ["a"])


class BuilderTest(FolderTest):
    """Programs for the Python package of the Rust encoderfile."""

    def setUp(self):
        super().setUp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        shutil.copytree(model_folder("sentiment"), "sentiment-model")

    def test_builder(self):
        builder = EncoderfileBuilder(
            name="sentiment-analyzer",
            model_type=ModelType.SequenceClassification,
            path="./sentiment-model",
            version="1.0.0",
            tokenizer=encoderfile.TokenizerBuildConfig(
                pad_strategy=encoderfile.Fixed(n=64),
                max_length=64,
                truncation_side="right",
                truncation_strategy="longest_first",
            ),
            transform="function Postprocess(logits) return logits:softmax(2) end",
            lua_libs=["math"],
        )
        builder.build(workdir=None, no_download=True)
        info = encoderfile.read_metadata("./sentiment-analyzer.encoderfile")
        config, model = info.encoderfile_config, info.model_config
        self.assertEqual((config.name, config.version, config.model_type), ("sentiment-analyzer", "1.0.0", "sequence_classification"))
        self.assertEqual((config.transform, config.lua_libs), ("function Postprocess(logits) return logits:softmax(2) end", ["math"]))
        self.assertEqual((model.model_type, model.num_labels), ("bert", 2))
        self.assertEqual((model.id2label, model.label2id), ({0: "NEGATIVE", 1: "POSITIVE"}, {"NEGATIVE": 0, "POSITIVE": 1}))
        self.assertEqual(encoderfile.inspect("sentiment-analyzer.encoderfile").max_length, 64)

    def test_build_with_flat_arguments(self):
        with open("t.lua", "w") as file:
            file.write("function Postprocess(logits)\n  return logits\nend\n")
        encoderfile.build(
            name="flat",
            model_type="sequence_classification",
            path="./sentiment-model",
            transform_path="./t.lua",
            tokenizer_pad_to="batch_longest",
            tokenizer_max_length=32,
            target="x86_64-unknown-linux-gnu" if os.uname().machine == "x86_64" else None,
        )
        self.assertIn("Postprocess", encoderfile.read_metadata("flat.encoderfile").encoderfile_config.transform)

    def test_build_from_config(self):
        with open("config.yml", "w") as file:
            file.write(
                "encoderfile:\n  name: c\n  path: ./sentiment-model\n  model_type: sequence_classification\n"
                "  output_path: ./build/c.encoderfile\n"
            )
        os.mkdir("build")
        encoderfile.build_from_config("config.yml")
        self.assertEqual(encoderfile.read_metadata("build/c.encoderfile").encoderfile_config.name, "c")
        EncoderfileBuilder.from_config("config.yml").build()
        # A builder replaces an executable of the same model, but no other file.
        options = {"path": "./sentiment-model", "model_type": "sequence_classification", "output_path": "build/c.encoderfile"}
        EncoderfileBuilder(name="c", version="2", **options).build()
        self.assertEqual(encoderfile.inspect("build/c.encoderfile").version, "2")
        with self.assertRaisesRegex(encoderfile.ConfigError, "Pass force=True to overwrite"):
            EncoderfileBuilder(name="d", **options).build()
        with self.assertRaises(FileNotFoundError):
            EncoderfileBuilder.from_config("nothere.yml")

    def test_names(self):
        spec = encoderfile.TargetSpec("aarch64-apple-darwin")
        self.assertEqual((spec.arch, spec.os, spec.abi), ("aarch64", "apple", "darwin"))
        self.assertEqual(f"{ModelType.Embedding}", "embedding")
        self.assertEqual(ModelType.Embedding, "embedding")
        with self.assertRaises(ValueError):
            encoderfile.TargetSpec("nonsense!")
        with self.assertRaises(RuntimeError):
            EncoderfileBuilder(name="x", model_type="whatever", path="x")
        with self.assertRaises(TypeError):
            encoderfile.TokenizerBuildConfig(pad_strategy="nonsense!")


class CommandTest(FolderTest):
    def run_command(self, *args):
        command = [sys.executable, "-m", "encoderfile", *args]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=self.folder)

    def test_python_m_encoderfile_is_the_build_tool(self):
        self.assertRegex(self.run_command("version").stdout, r"^encoderfile \d")
        failed = self.run_command("build", "-f", "$(x) nothere.yml")
        self.assertEqual((failed.returncode, failed.stdout), (1, ""))
        self.assertIn("No such config file: $(x) nothere.yml.", failed.stderr)
