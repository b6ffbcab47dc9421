import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises over HTTP. */
export const MANAGER_HTTP = {
  'manager:servers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'GET /api/v1/servers returns the sorted names of all servers, including failed ones.',
  },
  'manager:names': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Server names are matched regardless of case and surrounding spaces, also by the health routes.',
  },
  'manager:health': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      "A healthy server is reported as ok with both times and a latency in Go's format; a dead one as unreachable.",
  },
  'manager:health:unknown': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Health of a server that is not there is 404.',
  },
  'manager:tools': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: "Tools have exactly the fields of the contract, in the server's spelling.",
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
    behavior: 'Tools, prompts and resources can be searched across all servers.',
  },
  'manager:prompts': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts are listed across all pages and filled in from arguments; unknown ones return 404.',
  },
  'manager:resources': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Resources and templates are listed across all pages and read as text or blob, even if empty.',
  },
  'manager:not-implemented': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts and resources of a server that does not support them return 501.',
  },
  'manager:schemas': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Bodies name their schema first and in a Link header, and the schema is served.',
  },
  'manager:problems': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Every error is problem+json, also for unknown paths and methods.',
  },
  'manager:openapi': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'The OpenAPI document is served in 3.1 and 3.0, as JSON and YAML, with all ten operations, and as a readable page.',
  },
  'manager:pages': {
    source: 'docs/mcp-manager-pages.md',
    behavior:
      'Browsers get the pages at / with all their files; servers can only be changed over HTTP with a key that can edit.',
  },
  'manager:operations': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior: '/healthz, /readyz and /metrics are served, and every response has an X-Request-Id.',
  },
  'manager:foreign-page': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'Requests from web pages of other origins, or addressed to another host name, are rejected.',
  },
  'manager:trust': {
    source: 'docs/mcp-manager-config.md#tools',
    behavior:
      'A group only has its own tools, a renamed tool has its new name, an unpinned tool is blocked, and an approval requires X-Confirm-Tool.',
  },
  'manager:traces': {
    source: 'docs/telemetry.md',
    behavior:
      'With a collector, requests and calls to servers have spans, and servers receive the trace in `_meta` and in headers.',
  },
  'manager:down': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call to a server that is down returns 503 with Retry-After.',
  },
} as const satisfies Behaviors;
