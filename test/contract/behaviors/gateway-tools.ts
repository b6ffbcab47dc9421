import type { Behaviors } from './behavior.ts';

/** Documented behavior of the gateway with tools of MCP servers. */
export const GATEWAY_TOOLS = {
  'gateway:tools': {
    source: 'docs/how-to/tools.md#use-it',
    behavior:
      'Models of any provider use the tools of an MCP server in all four APIs, as a whole and as a stream; each round has a usage row.',
  },
  'gateway:tools:mistakes': {
    source: 'docs/how-to/tools.md#use-it',
    behavior:
      'A request with an unknown label or another URL, and a batch with a server, are rejected with the name of the server, before a model is called.',
  },
  'gateway:tools:down': {
    source: 'docs/how-to/tools.md#configure-a-server',
    behavior:
      'If the MCP server is down, requests with its tools fail with 502 and are not billed, other requests work, and no restart is necessary when the server is back.',
  },
  'gateway:tools:metrics': {
    source: 'docs/gateway-telemetry.md#metrics',
    behavior: 'Metrics contain the number, outcome and duration of tool calls by the label of the server.',
  },
  'gateway:tools:agents': {
    source: 'docs/how-to/tools.md#give-a-key-its-tools',
    behavior:
      'A client whose key has tools receives only calls of its own functions, in each API. Tools run once per call, also if a response calls both, although the client sends back only its own calls.',
  },
  'gateway:tools:users': {
    source: 'docs/how-to/tools.md#let-servers-know-the-user',
    behavior:
      'With `user_token_audience`, each request to the server has a token for the owner of the key, which the key at `/.well-known/jwks.json` verifies.',
  },
  'gateway-process:tools-config': {
    source: 'docs/gateway-config.md#tools',
    behavior:
      'An invalid URL, label or setting of an MCP server in gateway.yml is an error with its position, in one line.',
  },
} satisfies Behaviors;
