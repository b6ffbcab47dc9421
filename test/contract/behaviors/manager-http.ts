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
      'Server names are matched regardless of case and surrounding spaces, including in health routes.',
  },
  'manager:health': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      "A healthy server is reported as ok with both timestamps and a latency in Go's format, and a stopped one as unreachable.",
  },
  'manager:health:unknown': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'The health of an unknown server returns 404.',
  },
  'manager:tools': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: "Tools have exactly the fields of the contract, in the server's spelling.",
  },
  'manager:tools:detail': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      '`detail` accepts minimal, summary or full in any case; any other value returns 422 with the valid ones.',
  },
  'manager:call:text': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A result is a JSON string of its text blocks, one per line; without text, of its structured content; otherwise, of its content.',
  },
  'manager:call:full': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'The full result is available on request.',
  },
  'manager:call:numbers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Numbers are passed to the tool digit for digit.',
  },
  'manager:call:failed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A failed tool returns 502 with its output, and a failed request 502 with its message.',
  },
  'manager:call:not-allowed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A disallowed tool returns 403; an allowed tool that the server lacks, and an unknown server, return 404.',
  },
  'manager:call:timeout': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call that times out returns 504, and the server receives a cancellation.',
  },
  'manager:call:gone': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'When the client disconnects, the server receives a cancellation of its call.',
  },
  'manager:call:body': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Bodies that are empty, malformed, not an object, of another content type or too large return 400, 422, 415 and 413.',
  },
  'manager:search': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Tools, prompts and resources can be searched across all servers.',
  },
  'manager:prompts': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts are listed across all pages and rendered with arguments; unknown ones return 404.',
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
    behavior: 'Every error is problem+json, including unknown paths and methods.',
  },
  'manager:openapi': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'The OpenAPI document is served in 3.1 and 3.0, as JSON and YAML, with all ten operations, and as a readable page.',
  },
  'manager:pages': {
    source: 'docs/mcp-manager-pages.md',
    behavior:
      'Browsers get the pages at / with all their files; changing servers over HTTP requires a key with edit permission.',
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
      'A group contains only its own tools, a renamed tool has its new name, an unpinned tool is blocked, and an approval requires X-Confirm-Tool.',
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
