import type { Behaviors } from './behavior.ts';

/** What a model promises over MCP, in addition to what `serve.ts` lists of its two ways to speak it. */
export const MCP = {
  'mcp:schemas': {
    source: 'docs/mcp.md#the-tool',
    behavior: "The tool's parameters and result are the request and the response of /predict.",
  },
  'mcp:result': {
    source: 'docs/mcp.md',
    behavior: 'A result is the body that /predict has, as text and as structured content.',
  },
  'mcp:errors': {
    source: 'docs/mcp.md#errors',
    behavior:
      'Invalid input and wrong arguments are -32600, other tools -32602, other methods -32601; with a message alone.',
  },
  'mcp:versions': {
    source: 'docs/mcp.md#protocol-versions',
    behavior: 'Version 2025-06-18 is answered in kind, an unknown one with it; tools are all there is.',
  },
  'mcp:server-info': {
    source: 'docs/mcp.md#the-tool',
    behavior: 'Server info names encoderfile and the model; the instructions say what it was built of.',
  },
  'mcp:sessions': {
    source: 'docs/mcp.md',
    behavior: 'Requests need a session: none is 400, an unknown or ended one 404; DELETE ends it.',
  },
  'mcp:statuses': {
    source: 'docs/mcp.md',
    behavior: 'A message that is not JSON-RPC is 400, 405, 406, 413 or 415 before it reaches a session.',
  },
  'mcp:hosts': {
    source: 'docs/mcp.md',
    behavior:
      'Requests with names that the server does not know are refused, and those of web pages unless allowed.',
  },
  'mcp:cancelled': {
    source: 'docs/mcp.md',
    behavior: 'A call that is cancelled, or whose connection breaks, is not run.',
  },
  'mcp:batches': {
    source: 'docs/mcp.md',
    behavior: 'Lists of messages are answered in version 2025-03-26, and refused in all others.',
  },
  'mcp:trailing-slash': {
    source: 'docs/mcp.md',
    behavior: '/mcp/ is the same endpoint as /mcp.',
  },
  'mcp:refused-lists': {
    source: 'docs/mcp.md',
    behavior: 'Lists of prompts, resources and resource templates are -32601: the server has tools only.',
  },
  'mcp:truncated': {
    source: 'docs/mcp.md',
    behavior: '_meta lists the truncated inputs; a call can refuse truncation.',
  },
} as const satisfies Behaviors;
