import type { Behaviors } from './behavior.ts';

/** Documented behavior of a model over gRPC. */
export const GRPC = {
  'grpc:metadata': {
    source: 'docs/serve.md#grpc',
    behavior:
      "GetModelMetadata returns the model's name, type and version, and its labels by index if it has any.",
  },
  'grpc:predict': {
    source: 'docs/serve.md#grpc',
    behavior:
      'Predict returns the fields defined in the contract; metadata is an empty map if the request has none.',
  },
  'grpc:invalid': {
    source: 'docs/serve.md#grpc',
    behavior: 'Invalid input returns INVALID_ARGUMENT with the same message as over HTTP.',
  },
  'grpc:unimplemented': {
    source: 'docs/serve.md#grpc',
    behavior: 'Services for other model types return UNIMPLEMENTED and name the available services.',
  },
  'grpc:too-large': {
    source: 'docs/serve.md',
    behavior: 'A message larger than --max-body returns RESOURCE_EXHAUSTED.',
  },
  'grpc:unauthenticated': {
    source: 'docs/serve.md',
    behavior: 'Without a valid key, calls return UNAUTHENTICATED; health checks do not require a key.',
  },
  'grpc:deadline': {
    source: 'docs/serve.md',
    behavior: 'A call whose deadline expires returns DEADLINE_EXCEEDED and does not run the model.',
  },
  'grpc:cancelled': {
    source: 'docs/serve.md',
    behavior: 'A canceled call returns CANCELLED and does not run the model.',
  },
  'grpc:draining': {
    source: 'docs/serve.md',
    behavior: 'While a server shuts down, accepted calls complete, and new calls return UNAVAILABLE.',
  },
  'grpc:stop-unread': {
    source: 'docs/serve.md',
    behavior:
      'On SIGTERM, calls that the operating system has already received on new connections still complete.',
  },
  'grpc:health': {
    source: 'docs/serve.md',
    behavior: 'grpc.health.v1 reports SERVING for the server and its service, and NOT_FOUND for others.',
  },
  'grpc:reflection': {
    source: 'docs/serve.md',
    behavior: 'Server reflection (v1 and v1alpha) lists the services and returns their files.',
  },
  'grpc:connect': {
    source: 'docs/serve.md',
    behavior: 'The same port supports Connect with JSON over HTTP/1.1, including errors.',
  },
  'grpc:truncated': {
    source: 'docs/serve.md',
    behavior: 'Response headers report how many inputs were truncated, and which ones.',
  },
} as const satisfies Behaviors;
