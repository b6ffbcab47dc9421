import type { Behaviors } from './behavior.ts';

/** What a model promises over gRPC. */
export const GRPC = {
  'grpc:metadata': {
    source: 'docs/serve.md#grpc',
    behavior:
      'GetModelMetadata is the name, the type, the version and the labels by their index, if the model has some.',
  },
  'grpc:predict': {
    source: 'docs/serve.md#grpc',
    behavior: 'Predict has the fields of the contract; metadata is an empty map where there is none.',
  },
  'grpc:invalid': {
    source: 'docs/serve.md#grpc',
    behavior: 'Invalid input is INVALID_ARGUMENT with the sentence that HTTP has for it.',
  },
  'grpc:unimplemented': {
    source: 'docs/serve.md#grpc',
    behavior: 'Services of other model types are UNIMPLEMENTED, and those that are here are named.',
  },
  'grpc:too-large': {
    source: 'docs/serve.md',
    behavior: 'A message larger than --max-body is RESOURCE_EXHAUSTED.',
  },
  'grpc:unauthenticated': {
    source: 'docs/serve.md',
    behavior: 'Without one of the keys it is UNAUTHENTICATED; health checks need none.',
  },
  'grpc:deadline': {
    source: 'docs/serve.md',
    behavior: 'A deadline that passes is DEADLINE_EXCEEDED, and what was asked for is not run.',
  },
  'grpc:cancelled': {
    source: 'docs/serve.md',
    behavior: 'A call that is cancelled is CANCELLED, and what was asked for is not run.',
  },
  'grpc:draining': {
    source: 'docs/serve.md',
    behavior: 'While a server stops, accepted calls are answered and new ones are UNAVAILABLE.',
  },
  'grpc:stop-unread': {
    source: 'docs/serve.md',
    behavior: 'SIGTERM: calls that the system has taken on new connections are answered.',
  },
  'grpc:health': {
    source: 'docs/serve.md',
    behavior: 'grpc.health.v1 reports SERVING for the server and its service, NOT_FOUND for others.',
  },
  'grpc:reflection': {
    source: 'docs/serve.md',
    behavior: 'Server reflection (v1 and v1alpha) names the services and gives their files.',
  },
  'grpc:connect': {
    source: 'docs/serve.md',
    behavior: 'The same port answers Connect as JSON over HTTP/1.1, errors too.',
  },
  'grpc:truncated': {
    source: 'docs/serve.md',
    behavior: 'Response headers report how many inputs were truncated, and which.',
  },
} as const satisfies Behaviors;
