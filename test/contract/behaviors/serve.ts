import type { Behaviors } from './behavior.ts';

/** What a served model promises. */
export const SERVE = {
  'predict:golden': {
    source: 'docs/build.md#model-types',
    behavior: 'Results of all golden texts, in one request, are those that independent libraries compute.',
  },
  'predict:windows': {
    source: 'docs/serve.md',
    behavior:
      'A model built with long_texts: windows reads long texts as a whole; HTTP, gRPC, MCP and infer return the numbers of independent libraries.',
  },
  'predict:max-windows': {
    source: 'docs/serve.md',
    behavior:
      'With long_texts: windows, --max-windows truncates longer texts, which headers, _meta of MCP and a warning of infer report.',
  },
  'predict:metadata': {
    source: 'docs/serve.md#http',
    behavior: 'The metadata of a request comes back with its results.',
  },
  'predict:empty': {
    source: 'docs/serve.md#http',
    behavior:
      'No input or an empty one is an InputError "Cannot tokenize empty string"; white space has no tokens.',
  },
  'predict:normalize': {
    source: 'docs/serve.md#http',
    behavior: 'normalize makes every token vector one of length 1; without it vectors stay as they are.',
  },
  'predict:not-finite': {
    source: 'docs/serve.md',
    behavior:
      'A text for which the transform or the model returns NaN or infinity is an InternalError with a sentence; others are answered.',
  },
  'serve:warm-up-not-finite': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'A model that returns NaN or infinity for the texts of the warm-up serves all the same.',
  },
  'predict:order': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'Many parallel requests are each answered with the results of their own inputs, in order.',
  },
  'serve:both-disabled': {
    source: 'docs/serve.md#options',
    behavior:
      "Disabling both servers fails with 'Cannot disable both gRPC and HTTP' before a model is loaded.",
  },
  'serve:banner': {
    source: 'docs/serve.md#who-can-reach-the-server',
    behavior:
      'A banner on stderr names the model and the real addresses, also of port 0; stdout stays empty.',
  },
  'serve:exposed': {
    source: 'docs/serve.md',
    behavior:
      'Without an API key, the banner reports who can reach the server and how to close it, and the log has a warning.',
  },
  'serve:local': {
    source: 'docs/serve.md',
    behavior: '--local, or a loopback address for HTTP, closes HTTP, MCP and gRPC to other machines.',
  },
  'serve:api-key-file': {
    source: 'docs/serve.md',
    behavior: 'Keys of --api-key-file protect HTTP, MCP and gRPC, and are in no command line.',
  },
  'serve:one-protocol': {
    source: 'docs/serve.md#options',
    behavior: '--disable-grpc and --disable-http leave the other protocol alone.',
  },
  'serve:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use is one clear sentence and exit code 1; nothing is left half alive.',
  },
  'serve:wrong-values': {
    source: 'docs/troubleshooting.md#command-lines-of-all-programs',
    behavior: 'A wrong value of a flag is one line that names the flag, the value and the rule.',
  },
  'serve:bad-certificate': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A certificate without its key, a missing file and one that is not PEM are each one sentence.',
  },
  'serve:tls': {
    source: 'docs/serve.md#options',
    behavior: 'With a certificate and its key HTTP, MCP and gRPC speak TLS.',
  },
  'serve:drain': {
    source: 'docs/serve.md#stopping',
    behavior: 'SIGTERM: accepted requests are answered, new ones get 503, then it ends with exit code 0.',
  },
  'serve:stop-unread': {
    source: 'docs/serve.md',
    behavior:
      'SIGTERM: requests that the system has taken are answered, also on connections that wait to be accepted.',
  },
  'serve:shutdown-delay': {
    source: 'docs/serve.md',
    behavior:
      'During --shutdown-delay, the server is not ready and answers all requests, and asks clients to use other connections.',
  },
  'serve:second-signal': {
    source: 'docs/serve.md#stopping',
    behavior: 'A second signal ends it immediately.',
  },
  'serve:overload': {
    source: 'docs/serve.md#errors-and-headers',
    behavior:
      'A full queue is 429 with Retry-After and RESOURCE_EXHAUSTED; health answers meanwhile; later it has room.',
  },
  'serve:api-key': {
    source: 'docs/serve.md',
    behavior: 'With keys set, every route but the health checks and the pages needs one of them.',
  },
  'serve:grpc-observed': {
    source: 'docs/serve.md',
    behavior:
      'Every call by gRPC, gRPC-Web and Connect has a request id, a line in the log and a measurement.',
  },
  'serve:traces': {
    source: 'docs/telemetry.md',
    behavior:
      'With a collector, requests over HTTP, gRPC and MCP have spans in the trace of their client, with the steps of the engine below them.',
  },
  'serve:environment': {
    source: 'docs/serve.md#options',
    behavior: 'Every flag of serve has a name in the environment.',
  },
  'mcp:stdio': {
    source: 'docs/mcp.md#claude-desktop',
    behavior:
      'mcp speaks MCP on stdin and stdout and nothing else there, and ends with exit code 0 with stdin.',
  },
  'mcp:traces': {
    source: 'docs/telemetry.md',
    behavior: 'On stdio, a request continues the trace in its `_meta`.',
  },
  'mcp:http': {
    source: 'docs/mcp.md#over-http',
    behavior: 'mcp --http serves /mcp alone on --hostname and --port, by default on loopback, port 9100.',
  },
  'mcp:tool': {
    source: 'docs/mcp.md#the-tool',
    behavior: 'There is one tool, run_encoder, with the description of the model type.',
  },
} as const satisfies Behaviors;
