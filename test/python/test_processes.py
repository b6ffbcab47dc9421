import gc
import json
import os
import signal
import subprocess
import sys
import threading
import unittest
import urllib.request

import encoderfile
from support import ModelTest, executable, is_running, lists, wait_until


def functions_of(thread):
    """The names of the functions that a thread is in."""
    names, frame = [], sys._current_frames().get(thread.ident)
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


class ServerTest(ModelTest):
    def test_serves_other_programs_until_the_end_of_the_block(self):
        with self.model.serve() as server:
            with urllib.request.urlopen(f"{server.url}/model") as response:
                self.assertEqual(json.load(response)["model_id"], "sentence")
            self.assertEqual(server.get("/model")["model_type"], "sentence_embedding")
            self.assertEqual(len(server.post("/v1/embeddings", {"input": ["a"]})["data"]), 1)
            self.assertGreater(server.port, 0)
            self.assertIsNone(server.grpc_address)
        self.assertFalse(server.running)
        self.assertFalse(is_running(server.pid))

    def test_options_are_flags_of_serve(self):
        with self.model.serve(grpc_port=0, api_key="secret-key", max_client_batch=2, on_overflow="error") as server:
            self.assertRegex(server.grpc_address, r"^127\.0\.0\.1:\d+$")
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(f"{server.url}/model")
            self.assertEqual(caught.exception.code, 401)
            self.assertEqual(server.get("/model")["model_id"], "sentence")
            with self.assertRaisesRegex(encoderfile.InputError, "2"):
                server.post("/predict", {"inputs": ["a", "b", "c"]})
            with open(f"/proc/{server.pid}/cmdline", "rb") as file:
                self.assertNotIn(b"secret-key", file.read())
        self.rejects(encoderfile.ServerError, "could not be started: .*--workers.*-5", self.model.serve, workers=-5)
        self.rejects(encoderfile.ServerError, "could not be started: .*--nope", self.model.serve, nope=True)

    def test_variables_of_a_server_do_not_apply(self):
        variables = {"ENCODERFILE_HTTP_PORT": "1", "ENCODERFILE_DISABLE_HTTP": "1", "ENCODERFILE_API_KEY": "x"}
        os.environ.update(variables)
        try:
            with self.model.serve() as server:
                self.assertEqual(server.get("/model")["model_id"], "sentence")
        finally:
            for name in variables:
                del os.environ[name]

    def test_a_port_in_use_is_one_sentence(self):
        with self.model.serve() as server:
            self.rejects(encoderfile.ServerError, f"could not be started: .*{server.port}", self.model.serve, port=server.port)

    def test_a_killed_server_is_an_error_and_restarts(self):
        with encoderfile.Encoderfile(executable("sentence")) as model:
            before = lists(model.embed(["a"]))
            pid = model._server.pid
            # A server that is already dead would be started again, so this one is killed while it has a request.
            os.kill(pid, signal.SIGSTOP)
            errors = []

            def embed():
                try:
                    model.embed(["a"])
                except encoderfile.ServerError as error:
                    errors.append(str(error))

            waiting = threading.Thread(target=embed)
            waiting.start()
            wait_until(lambda: "getresponse" in functions_of(waiting), "the request")
            os.kill(pid, signal.SIGKILL)
            waiting.join()
            self.assertEqual(errors, ["The server of sentence.encoder exited: it was terminated by signal 9"])
            self.assertEqual(lists(model.embed(["a"])), before)

    def test_a_server_ends_with_its_object(self):
        model = encoderfile.Encoderfile(executable("sentence"))
        model.embed(["a"])
        pid = model._server.pid
        del model
        gc.collect()
        wait_until(lambda: not is_running(pid), "the end of the server")

    def test_close_can_be_repeated_and_followed_by_embed(self):
        model = encoderfile.Encoderfile(executable("sentence"))
        for _ in range(2):
            model.close()
            self.assertEqual(len(model.embed(["a"])), 1)
        model.close()

    def test_threads_share_one_server(self):
        expected = lists(self.model.embed(["a", "b"]))
        problems = []

        def work():
            for _ in range(20):
                if [[round(v, 4) for v in row] for row in lists(self.model.embed(["a", "b"]))] != [
                    [round(v, 4) for v in row] for row in expected
                ]:
                    problems.append("other vectors")

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])


PROGRAM = """
import os, sys, encoderfile
model = encoderfile.Encoderfile(sys.argv[1])
model.embed(["a"])
print(model._server.pid, flush=True)
"""


class EndOfPythonTest(unittest.TestCase):
    def start(self, rest):
        command = [sys.executable, "-c", PROGRAM + rest, executable("sentence")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        return process, int(process.stdout.readline())

    def test_no_server_is_left_after_a_normal_exit(self):
        process, pid = self.start("")
        self.assertEqual(process.wait(), 0)
        wait_until(lambda: not is_running(pid), "the end of the server")

    def test_no_server_is_left_after_a_kill(self):
        process, pid = self.start("sys.stdin.read()")
        self.assertTrue(is_running(pid))
        process.kill()
        process.wait()
        wait_until(lambda: not is_running(pid), "the end of the server")

    @unittest.skipUnless(hasattr(os, "fork"), "requires fork")
    def test_forked_processes_use_the_server_and_do_not_keep_it(self):
        process, pid = self.start(
            """
child = os.fork()
if child == 0:
    assert len(model.embed(["in the child"])) == 1
    model.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert len(model.embed(["in the parent"])) == 1
if os.fork() == 0:
    os.close(1)
    sys.stdin.read()
    os._exit(0)
print("ready", flush=True)
os.kill(os.getpid(), 9)
"""
        )
        self.assertEqual(process.stdout.readline(), b"ready\n")
        wait_until(lambda: not is_running(pid), "the end of the server")
        self.assertEqual(process.wait(), -signal.SIGKILL)
