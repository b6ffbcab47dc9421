"""Calls a served model with gRPC for Python, without .proto files: server reflection describes the services. Prints one JSON line
per call. The argument is a JSON object with the address of the server, and the expected label of the text.
"""

import json
import sys
from importlib.metadata import version

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

SERVED = json.loads(sys.argv[1])
SERVICE = "encoder.SequenceClassification"
CHANNEL = grpc.insecure_channel(SERVED["address"])
DATABASE = ProtoReflectionDescriptorDatabase(CHANNEL)
POOL = DescriptorPool(DATABASE)


def call(service, method, /, **fields):
    described = POOL.FindServiceByName(service).methods_by_name[method]
    request, answer = GetMessageClass(described.input_type), GetMessageClass(described.output_type)
    invoke = CHANNEL.unary_unary(
        f"/{service}/{method}", request_serializer=request.SerializeToString, response_deserializer=answer.FromString
    )
    return invoke(request(**fields), timeout=30)


def reflection():
    names = list(DATABASE.get_services())
    assert SERVICE in names and "grpc.health.v1.Health" in names, names


def metadata():
    answer = call(SERVICE, "GetModelMetadata")
    assert (answer.model_id, answer.version) == ("sentiment", "1.0.0"), answer
    assert dict(answer.id2label) == {0: "NEGATIVE", 1: "POSITIVE"}, answer


def predict():
    answer = call(SERVICE, "Predict", inputs=[SERVED["text"]], metadata={"key": "value"})
    assert answer.results[0].predicted_label == SERVED["label"], answer
    assert dict(answer.metadata) == {"key": "value"}, answer


def empty():
    for inputs in [[], [""]]:
        try:
            call(SERVICE, "Predict", inputs=inputs)
        except grpc.RpcError as error:
            found = (error.code(), error.details())
            assert found == (grpc.StatusCode.INVALID_ARGUMENT, "Cannot tokenize empty string"), found
        else:
            raise AssertionError("an empty text was accepted")


def health():
    answer = call("grpc.health.v1.Health", "Check", service=SERVICE)
    assert answer.status == 1, answer


CHECKS = [
    ("grpcio-reflection", "ServerReflection", reflection),
    ("grpcio", "GetModelMetadata", metadata),
    ("grpcio", "Predict", predict),
    ("grpcio", "Predict, no text", empty),
    ("grpcio", "Health/Check", health),
]
for package, name, function in CHECKS:
    row = {"client": package, "version": version(package), "door": "gRPC", "call": name}
    try:
        function()
        row["problem"] = None
    except Exception as error:
        row["problem"] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(row), flush=True)
