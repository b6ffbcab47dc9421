import type { Behaviors } from './behavior.ts';

/** Documented behavior of a model over HTTP. */
export const HTTP = {
  'http:health': {
    source: 'docs/serve.md#http',
    behavior: 'GET /health returns 200 "OK!" as JSON; /healthz and /readyz return ok and ready as text.',
  },
  'http:model': {
    source: 'docs/serve.md#http',
    behavior: "GET /model returns the model's name and type, and its labels by index if it has any.",
  },
  'http:openapi': {
    source: 'docs/serve.md',
    behavior: "GET /openapi.json returns a valid OpenAPI 3.0 document for this model's routes.",
  },
  'http:page': {
    source: 'docs/serve.md',
    behavior: 'GET / and GET /docs return pages that load only files from this server.',
  },
  'http:metrics': {
    source: 'docs/serve.md',
    behavior:
      'GET /metrics returns request counts by route and status, and measurements of inference, in the Prometheus format.',
  },
  'http:metrics-access': {
    source: 'docs/flags.md',
    behavior: 'If API keys are required, /metrics also requires one, unless --metrics is open.',
  },
  'http:unknown-path': {
    source: 'docs/serve.md',
    behavior: 'An unknown path returns 404, and an unsupported method returns 405 with the allowed methods.',
  },
  'http:head-and-options': {
    source: 'docs/serve.md',
    behavior:
      'HEAD returns the same headers as GET without a body; OPTIONS is rejected like any other unsupported method.',
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
      'Compressed requests are supported, and large responses are compressed for clients that accept compression.',
  },
  'http:too-large': {
    source: 'docs/serve.md',
    behavior: 'A body larger than --max-body returns 413, whether it declares its length or is chunked.',
  },
  'http:invalid': {
    source: 'docs/serve.md#errors-and-headers',
    behavior:
      'An incorrect, missing or unknown value returns 422 with a one-sentence plain-text explanation.',
  },
  'http:deep': {
    source: 'docs/serve.md',
    behavior:
      'JSON with millions of nested lists is rejected before parsing, because parsing would take seconds.',
  },
  'http:unauthorized': {
    source: 'docs/serve.md',
    behavior:
      'Without a valid key, requests return 401 with instructions for sending one; pages and health checks do not require a key.',
  },
  'http:request-id': {
    source: 'docs/serve.md',
    behavior: 'Every response has an X-Request-Id: the ID from the request if it is valid, or a new one.',
  },
  'http:timing': {
    source: 'docs/serve.md',
    behavior: 'Response headers report the cost of inference: durations, tokens and characters.',
  },
  'http:cors': {
    source: 'docs/serve.md',
    behavior:
      'Only web pages from --cors-origins can send requests, regardless of how the origins are written; requests from other pages are rejected.',
  },
  'http:hosts': {
    source: 'docs/serve.md',
    behavior:
      'Every route accepts only requests addressed to IP addresses, localhost or --allowed-hosts, or, on a server with an API key, to any host name.',
  },
  'http:half-closed': {
    source: 'docs/serve.md',
    behavior:
      'A client that half-closes its connection still gets a response, unless the connection is keep-alive; in that case, the request is canceled.',
  },
  'http:pipelined': {
    source: 'docs/serve.md#bodies-and-connections',
    behavior: 'Pipelined requests on one connection, including a chunked one, get responses in order.',
  },
} as const satisfies Behaviors;
