import type { Behaviors } from './behavior.ts';

/** Documented behavior of a model over MCP, in addition to the behavior of both transports in `serve.ts`. */
export const MCP = {
  'mcp:schemas': {
    source: 'docs/mcp.md#the-tool',
    behavior:
      "The tool's parameters and result have the same schemas as the request and response of /predict.",
  },
  'mcp:result': {
    source: 'docs/mcp.md',
    behavior:
      'The result of a call contains the response body of /predict, as text and as structured content.',
  },
  'mcp:errors': {
    source: 'docs/mcp.md#errors',
    behavior:
      'Invalid input and arguments return -32600, unknown tools return -32602, and unknown methods return -32601, each with only a message.',
  },
  'mcp:versions': {
    source: 'docs/mcp.md#protocol-versions',
    behavior:
      'Protocol version 2025-06-18 is accepted, and is offered to clients with an unknown version; the server supports only tools.',
  },
  'mcp:server-info': {
    source: 'docs/mcp.md#the-tool',
    behavior:
      'The server info names encoderfile and the model, and the instructions list the versions of its components.',
  },
  'mcp:sessions': {
    source: 'docs/mcp.md',
    behavior:
      'Requests require a session: without one, they return 400; with an unknown or terminated one, they return 404. DELETE terminates a session.',
  },
  'mcp:statuses': {
    source: 'docs/mcp.md',
    behavior:
      'A message that is not JSON-RPC is rejected with 400, 405, 406, 413 or 415 before it reaches a session.',
  },
  'mcp:hosts': {
    source: 'docs/mcp.md',
    behavior:
      'Requests to unknown host names are rejected, and so are requests from web pages that are not allowed.',
  },
  'mcp:cancelled': {
    source: 'docs/mcp.md',
    behavior: 'A call that is canceled, or whose connection breaks, does not run the model.',
  },
  'mcp:batches': {
    source: 'docs/mcp.md',
    behavior:
      'Message batches are accepted in protocol version 2025-03-26 and rejected in all other versions.',
  },
  'mcp:trailing-slash': {
    source: 'docs/mcp.md',
    behavior: '/mcp/ is the same endpoint as /mcp.',
  },
  'mcp:refused-lists': {
    source: 'docs/mcp.md',
    behavior:
      'Listing prompts, resources or resource templates returns -32601, because the server supports only tools.',
  },
  'mcp:truncated': {
    source: 'docs/mcp.md',
    behavior: '`_meta` lists the truncated inputs, and a call can forbid truncation.',
  },
} as const satisfies Behaviors;
