import type { Behaviors } from './behavior.ts';

/** Documented behavior of a served model. */
export const SERVE = {
  'serve:device': {
    source: 'docs/gpu.md',
    behavior:
      'Without a GPU, serve --device gpu exits with code 1 and the reason; with auto, the server uses the CPU and reports the reason in its log and in /model.',
  },
  'predict:golden': {
    source: 'docs/build.md#model-types',
    behavior: 'Results for all golden texts in one request match those of independent libraries.',
  },
  'predict:windows': {
    source: 'docs/serve.md',
    behavior:
      'A model built with long_texts: windows reads long texts completely; HTTP, gRPC, MCP and infer return the same numbers as independent libraries.',
  },
  'predict:max-windows': {
    source: 'docs/serve.md',
    behavior:
      "With long_texts: windows, --max-windows truncates longer texts; headers, MCP's _meta and a warning from infer report the truncation.",
  },
  'predict:metadata': {
    source: 'docs/serve.md#http',
    behavior: "The request's metadata is returned with its results.",
  },
  'predict:empty': {
    source: 'docs/serve.md#http',
    behavior:
      'A missing or empty input causes the InputError "Cannot tokenize empty string"; a whitespace-only input has no tokens.',
  },
  'predict:normalize': {
    source: 'docs/serve.md#http',
    behavior: 'normalize scales every token vector to length 1; without it, vectors are unchanged.',
  },
  'predict:not-finite': {
    source: 'docs/serve.md',
    behavior:
      'If the transform or the model returns NaN or infinity for a text, this text causes an InternalError, and other texts are not affected.',
  },
  'serve:warm-up-not-finite': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'The server starts even if the model returns NaN or infinity for the warm-up texts.',
  },
  'serve:lanes': {
    source: 'docs/serve.md#interactive-and-bulk-requests',
    behavior:
      'A small request does not wait for the large requests before it, and Priority chooses over HTTP and gRPC which requests run first.',
  },
  'serve:result-cache': {
    source: 'docs/serve.md#results-of-repeated-inputs',
    behavior:
      'With --result-cache, the result of a repeated input is returned unchanged without running the model; a header and the metrics count these inputs.',
  },
  'predict:order': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'Each of several concurrent requests gets the results for its own inputs, in order.',
  },
  'serve:both-disabled': {
    source: 'docs/serve.md#options',
    behavior:
      "Disabling both servers causes the error 'Cannot disable both gRPC and HTTP' before the model is loaded.",
  },
  'serve:banner': {
    source: 'docs/serve.md#who-can-reach-the-server',
    behavior:
      'A banner on stderr shows the model and the actual addresses, even for port 0; stdout stays empty.',
  },
  'serve:exposed': {
    source: 'docs/serve.md',
    behavior:
      'Without an API key, the banner reports who can reach the server and how to restrict access, and the log contains a warning.',
  },
  'serve:local': {
    source: 'docs/serve.md',
    behavior:
      '--local, or a loopback address for HTTP, makes HTTP, MCP and gRPC inaccessible to other machines.',
  },
  'serve:api-key-file': {
    source: 'docs/serve.md',
    behavior: 'Keys in --api-key-file protect HTTP, MCP and gRPC, and do not appear on any command line.',
  },
  'serve:one-protocol': {
    source: 'docs/serve.md#options',
    behavior: '--disable-grpc and --disable-http each disable only one protocol and do not affect the other.',
  },
  'serve:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use causes a one-sentence error and exit code 1, and no process keeps running.',
  },
  'serve:wrong-values': {
    source: 'docs/troubleshooting.md#command-lines-of-all-programs',
    behavior: 'An invalid flag value causes a one-line error with the flag, the value and the rule.',
  },
  'serve:bad-certificate': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior:
      'A certificate without its key, a missing file and a file that is not PEM each cause a one-sentence error.',
  },
  'serve:tls': {
    source: 'docs/serve.md#options',
    behavior: 'With a certificate and its key, HTTP, MCP and gRPC use TLS.',
  },
  'serve:drain': {
    source: 'docs/serve.md#stopping',
    behavior:
      'On SIGTERM, accepted requests complete, new requests get 503, and the server exits with code 0.',
  },
  'serve:stop-unread': {
    source: 'docs/serve.md',
    behavior:
      'On SIGTERM, the server still serves requests that the operating system has already received, even on connections that are not accepted yet.',
  },
  'serve:shutdown-delay': {
    source: 'docs/serve.md',
    behavior:
      'During --shutdown-delay, the server is not ready but serves all requests, and instructs clients to use other connections.',
  },
  'serve:stop-with-stdin': {
    source: 'docs/serve.md#stopping',
    behavior:
      'With --stop-with-stdin, the server completes accepted requests and exits with code 0 when stdin is closed; without the flag, it ignores stdin.',
  },
  'serve:second-signal': {
    source: 'docs/serve.md#stopping',
    behavior: 'A second signal stops the server immediately.',
  },
  'serve:overload': {
    source: 'docs/serve.md#errors-and-headers',
    behavior:
      'A full queue returns 429 with Retry-After, or RESOURCE_EXHAUSTED over gRPC; health checks still work, and later requests succeed again.',
  },
  'serve:api-key': {
    source: 'docs/serve.md',
    behavior: 'With API keys, every route requires a key, except the health checks and the pages.',
  },
  'serve:grpc-observed': {
    source: 'docs/serve.md',
    behavior: 'Every call over gRPC, gRPC-Web and Connect has a request ID, a log line and metrics.',
  },
  'serve:traces': {
    source: 'docs/telemetry.md',
    behavior:
      "With a collector, requests over HTTP, gRPC and MCP have spans in their client's trace, with the engine's steps as child spans.",
  },
  'serve:environment': {
    source: 'docs/serve.md#options',
    behavior: 'Every flag of serve can also be set with an environment variable.',
  },
  'mcp:stdio': {
    source: 'docs/mcp.md#claude-desktop',
    behavior: 'mcp uses stdin and stdout only for MCP messages, and exits with code 0 when stdin closes.',
  },
  'mcp:traces': {
    source: 'docs/telemetry.md',
    behavior: 'Over stdio, a request continues the trace in its `_meta`.',
  },
  'mcp:http': {
    source: 'docs/mcp.md#over-http',
    behavior: 'mcp --http serves only /mcp, on --hostname and --port (default: loopback, port 9100).',
  },
  'mcp:tool': {
    source: 'docs/mcp.md#the-tool',
    behavior: 'The only tool is run_encoder; its description depends on the model type.',
  },
} as const satisfies Behaviors;
