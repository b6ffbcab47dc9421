import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises over HTTP. */
export const MANAGER_HTTP = {
  'manager:servers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'GET /api/v1/servers is the sorted names of all servers, those that failed too.',
  },
  'manager:names': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Server names are found in any case, with spaces around them, also by the health routes.',
  },
  'manager:health': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A healthy server is ok with both times and a latency as Go prints it; a dead one is unreachable.',
  },
  'manager:health:unknown': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Health of a server that is not there is 404.',
  },
  'manager:tools': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Tools have the fields of the contract and no others, in the spelling of the server.',
  },
  'manager:tools:detail': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'detail is minimal, summary or full in any case; another value is 422 and names these.',
  },
  'manager:call:text': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A result is a JSON string: its text blocks, one a line; else its structured content; else its content.',
  },
  'manager:call:full': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'The whole result is there on request.',
  },
  'manager:call:numbers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Numbers reach the tool digit for digit.',
  },
  'manager:call:failed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A tool that fails is 502 with its output; a request that fails is 502 with its message.',
  },
  'manager:call:not-allowed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A tool that is not allowed is 403; a tool that is allowed and that the server does not have, and an unknown server, are 404.',
  },
  'manager:call:timeout': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call that takes too long is 504, and the server gets a cancellation.',
  },
  'manager:call:gone': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'When the client leaves, the server gets a cancellation of its call.',
  },
  'manager:call:body': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Bodies that are empty, malformed, no object, of another type or too large say so: 400, 422, 415, 413.',
  },
  'manager:search': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Tools, prompts and resources of all servers are searched.',
  },
  'manager:prompts': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts are listed, all pages together, and made from arguments; unknown ones are 404.',
  },
  'manager:resources': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Resources and templates are listed, all pages together, and read as text or blob, empty ones too.',
  },
  'manager:not-implemented': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts and resources of a server that has none are 501.',
  },
  'manager:schemas': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Bodies name their schema first and in a Link header, and the schema is there.',
  },
  'manager:problems': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Every error is problem+json, for unknown paths and methods too.',
  },
  'manager:openapi': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'The OpenAPI document is there in 3.1 and 3.0, as JSON and YAML, with all ten operations, and a page to read it.',
  },
  'manager:pages': {
    source: 'docs/mcp-manager-pages.md',
    behavior:
      'Browsers get the pages at /, with all of their files; without a key that can edit, servers are not changed over HTTP.',
  },
  'manager:operations': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior: '/healthz, /readyz and /metrics answer, and every answer has an X-Request-Id.',
  },
  'manager:foreign-page': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'Requests of web pages of other origins, or to another host name, are refused.',
  },
  'manager:trust': {
    source: 'docs/mcp-manager-config.md#tools',
    behavior:
      'A group has only its tools, a renamed tool has its new name, a tool that is not pinned is blocked, and an approval needs X-Confirm-Tool.',
  },
  'manager:traces': {
    source: 'docs/telemetry.md',
    behavior:
      'With a collector, requests and the calls of servers have spans, and servers get the trace in `_meta` and in headers.',
  },
  'manager:down': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call to a server that is down is 503 with Retry-After.',
  },
} as const satisfies Behaviors;
