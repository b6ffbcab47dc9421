import type { Behaviors } from './behavior.ts';

/** What a model promises over HTTP. */
export const HTTP = {
  'http:health': {
    source: 'docs/serve.md#http',
    behavior: 'GET /health returns 200 "OK!" as JSON; /healthz and /readyz return ok and ready as text.',
  },
  'http:model': {
    source: 'docs/serve.md#http',
    behavior: 'GET /model returns the name, the type and, if the model has any, the labels by index.',
  },
  'http:openapi': {
    source: 'docs/serve.md',
    behavior: "GET /openapi.json returns a valid OpenAPI 3.0 document of this model's routes.",
  },
  'http:page': {
    source: 'docs/serve.md',
    behavior: 'GET / and GET /docs return pages that only refer to files on this server.',
  },
  'http:metrics': {
    source: 'docs/serve.md',
    behavior: "GET /metrics counts requests by route and status, and the model's work, for Prometheus.",
  },
  'http:metrics-access': {
    source: 'docs/flags.md',
    behavior: 'Where API keys are required, /metrics requires one, unless --metrics is open.',
  },
  'http:unknown-path': {
    source: 'docs/serve.md',
    behavior: 'An unknown path returns 404, and an unsupported method 405 with the allowed ones.',
  },
  'http:head-and-options': {
    source: 'docs/serve.md',
    behavior: 'HEAD returns the response to GET without its body; OPTIONS is rejected like any other method.',
  },
  'http:malformed': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'Invalid JSON returns 400 with the position of the error.',
  },
  'http:media-type': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'A content type other than JSON, or an unknown content encoding, returns 415.',
  },
  'http:compression': {
    source: 'docs/serve.md',
    behavior:
      'Compressed requests are supported, and large responses are compressed for clients that accept it.',
  },
  'http:too-large': {
    source: 'docs/serve.md',
    behavior: 'A body larger than --max-body returns 413, whether its length is declared or it is chunked.',
  },
  'http:invalid': {
    source: 'docs/serve.md#errors-and-headers',
    behavior: 'A wrong, missing or unknown value returns 422 with a one-sentence plain-text explanation.',
  },
  'http:deep': {
    source: 'docs/serve.md',
    behavior: 'JSON with millions of nested lists is rejected before parsing, which would take seconds.',
  },
  'http:unauthorized': {
    source: 'docs/serve.md',
    behavior:
      'Without a valid key, requests return 401 and explain how to send one; pages and health checks are open.',
  },
  'http:request-id': {
    source: 'docs/serve.md',
    behavior: "Every response has an X-Request-Id: the request's own if it is valid, or a new one.",
  },
  'http:timing': {
    source: 'docs/serve.md',
    behavior: 'Response headers report the cost of running the model: times, tokens and characters.',
  },
  'http:cors': {
    source: 'docs/serve.md',
    behavior:
      'Only web pages from --cors-origins can send requests, however the origins are spelled; others are rejected.',
  },
  'http:hosts': {
    source: 'docs/serve.md',
    behavior:
      'Every route only accepts requests addressed to IP addresses, localhost and --allowed-hosts, or to any name with a key.',
  },
  'http:half-closed': {
    source: 'docs/serve.md',
    behavior:
      'A client that half-closes its connection still gets a response, unless the connection is keep-alive: then its work is cancelled.',
  },
  'http:pipelined': {
    source: 'docs/serve.md#bodies-and-connections',
    behavior: 'Pipelined requests on one connection, including a chunked one, get responses in order.',
  },
} as const satisfies Behaviors;
