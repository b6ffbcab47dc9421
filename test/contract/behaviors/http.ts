import type { Behaviors } from './behavior.ts';

/** What a model promises over HTTP. */
export const HTTP = {
  'http:health': {
    source: 'docs/serve.md#http',
    behavior: 'GET /health is 200 "OK!" as JSON; /healthz and /readyz say ok and ready as text.',
  },
  'http:model': {
    source: 'docs/serve.md#http',
    behavior: 'GET /model is the name, the type and, where the model has some, the labels by their index.',
  },
  'http:openapi': {
    source: 'docs/serve.md',
    behavior: 'GET /openapi.json is a valid OpenAPI 3.0 document of the routes that this model has.',
  },
  'http:page': {
    source: 'docs/serve.md',
    behavior: 'GET / and GET /docs are pages that name nothing but files of this server.',
  },
  'http:metrics': {
    source: 'docs/serve.md',
    behavior: 'GET /metrics counts requests by route and status, and what the model did, for Prometheus.',
  },
  'http:metrics-access': {
    source: 'docs/flags.md',
    behavior: 'Where API keys are required, /metrics requires one, unless --metrics is open.',
  },
  'http:unknown-path': {
    source: 'docs/serve.md',
    behavior: 'A path that does not exist is 404, another method 405 with those that are allowed.',
  },
  'http:head-and-options': {
    source: 'docs/serve.md',
    behavior: 'HEAD is answered as GET without a body; OPTIONS is refused as any other method.',
  },
  'http:malformed': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'Invalid JSON is 400 with the position of the error.',
  },
  'http:media-type': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'Another content type than JSON, and an unknown content encoding, are 415.',
  },
  'http:compression': {
    source: 'docs/serve.md',
    behavior: 'Compressed requests are read, and large responses compressed for clients that accept that.',
  },
  'http:too-large': {
    source: 'docs/serve.md',
    behavior: 'A body larger than --max-body is 413, announced or in chunks.',
  },
  'http:invalid': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'A value that is wrong, missing or unknown is 422 with one sentence of plain text about it.',
  },
  'http:deep': {
    source: 'docs/serve.md',
    behavior:
      'Millions of lists inside each other are refused before they are parsed, which would take seconds.',
  },
  'http:unauthorized': {
    source: 'docs/serve.md',
    behavior: 'Without one of the keys it is 401 with the way to send one; pages and health are open.',
  },
  'http:request-id': {
    source: 'docs/serve.md',
    behavior: 'Every answer has an X-Request-Id: the one it came with, if that is sane, or a new one.',
  },
  'http:timing': {
    source: 'docs/serve.md',
    behavior: 'Answers of the model say in their headers what it took: times, tokens and characters.',
  },
  'http:cors': {
    source: 'docs/serve.md',
    behavior: 'Web pages may call only from --cors-origins, however those are written; others are refused.',
  },
  'http:hosts': {
    source: 'docs/serve.md',
    behavior:
      'Every route answers to addresses, localhost and --allowed-hosts only, or with a key to any name.',
  },
  'http:half-closed': {
    source: 'docs/serve.md',
    behavior:
      'A client that closes its half of a connection is answered, unless it keeps connections: then its work is cancelled.',
  },
  'http:pipelined': {
    source: 'docs/serve.md#bodies-and-connections',
    behavior: 'Requests sent together on one connection, and one in chunks, are answered in their order.',
  },
} as const satisfies Behaviors;
