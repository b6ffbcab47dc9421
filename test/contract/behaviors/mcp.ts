import type { Behaviors } from './behavior.ts';

/** What a model promises over MCP, in addition to what `serve.ts` lists of its two ways to speak it. */
export const MCP = {
  'mcp:schemas': {
    source: 'docs/mcp.md#the-tool',
    behavior:
      "The tool's parameters and result have the same schemas as the request and response of /predict.",
  },
  'mcp:result': {
    source: 'docs/mcp.md',
    behavior: 'A result contains the response body of /predict, as text and as structured content.',
  },
  'mcp:errors': {
    source: 'docs/mcp.md#errors',
    behavior:
      'Invalid input and arguments return -32600, unknown tools -32602, unknown methods -32601, each with only a message.',
  },
  'mcp:versions': {
    source: 'docs/mcp.md#protocol-versions',
    behavior:
      'Version 2025-06-18 is accepted, and offered to clients with an unknown version; the server supports only tools.',
  },
  'mcp:server-info': {
    source: 'docs/mcp.md#the-tool',
    behavior:
      'Server info names encoderfile and the model; the instructions list the versions of its components.',
  },
  'mcp:sessions': {
    source: 'docs/mcp.md',
    behavior:
      'Requests need a session: without one they return 400, with an unknown or ended one 404; DELETE ends it.',
  },
  'mcp:statuses': {
    source: 'docs/mcp.md',
    behavior: 'A message that is not JSON-RPC returns 400, 405, 406, 413 or 415 before it reaches a session.',
  },
  'mcp:hosts': {
    source: 'docs/mcp.md',
    behavior: 'Requests to unknown host names are rejected, as are those from web pages unless allowed.',
  },
  'mcp:cancelled': {
    source: 'docs/mcp.md',
    behavior: 'A call that is cancelled, or whose connection breaks, does not run the model.',
  },
  'mcp:batches': {
    source: 'docs/mcp.md',
    behavior: 'Batches of messages are accepted in version 2025-03-26 and rejected in all others.',
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
    behavior: '_meta lists the truncated inputs; a call can forbid truncation.',
  },
} as const satisfies Behaviors;
