import type { Behaviors } from './behavior.ts';

/** Documented behavior of mcp-manager over HTTP. */
export const MANAGER_HTTP = {
  'manager:servers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'GET /api/v1/servers returns the sorted names of all servers, including those that failed.',
  },
  'manager:names': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Server names are matched regardless of case and surrounding spaces, including in health routes.',
  },
  'manager:health': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      "A healthy server is reported as ok with both timestamps and a latency in Go's format, and a stopped server is reported as unreachable.",
  },
  'manager:health:unknown': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A health request for an unknown server returns 404.',
  },
  'manager:tools': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: "Tools have exactly the fields defined in the contract, with names in the server's spelling.",
  },
  'manager:tools:detail': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      '`detail` accepts minimal, summary or full in any case; any other value returns 422 with the valid values.',
  },
  'manager:call:text': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A call returns a JSON string with the text blocks of the result, one per line; without text, it returns the structured content, and without that, the content.',
  },
  'manager:call:full': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'The full result of a call is available on request.',
  },
  'manager:call:numbers': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Numbers are passed to the tool with all their digits.',
  },
  'manager:call:failed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      "A failed tool call returns 502 with the tool's output, and a failed request returns 502 with the error message.",
  },
  'manager:call:not-allowed': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'A tool that is not allowed returns 403; an allowed tool that does not exist on the server and an unknown server return 404.',
  },
  'manager:call:timeout': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call that times out returns 504 and is canceled on the server.',
  },
  'manager:call:gone': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'When a client disconnects, its pending call is canceled on the server.',
  },
  'manager:call:body': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'An empty or malformed body returns 400, a body that is not an object returns 422, an unsupported content type returns 415, and an oversized body returns 413.',
  },
  'manager:search': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Tools, prompts and resources can be searched across all servers.',
  },
  'manager:prompts': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompts are listed across all pages and rendered with arguments; unknown prompts return 404.',
  },
  'manager:resources': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Resources and templates are listed across all pages and read as text or blob, even if empty.',
  },
  'manager:not-implemented': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Prompt and resource requests to a server that does not support them return 501.',
  },
  'manager:schemas': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'Response bodies reference their schema in the first member and in a Link header, and the schema can be downloaded.',
  },
  'manager:problems': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'Every error, including those for unknown paths and methods, is a problem+json document.',
  },
  'manager:openapi': {
    source: 'docs/mcp-manager.md#http-api',
    behavior:
      'The OpenAPI document contains all ten operations and is available in versions 3.1 and 3.0, as JSON and YAML, and as a readable page.',
  },
  'manager:pages': {
    source: 'docs/mcp-manager-pages.md',
    behavior:
      'The pages and all their files are served to browsers at /; changing servers over HTTP requires a key with edit permission.',
  },
  'manager:operations': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior: '/healthz, /readyz and /metrics are available, and every response has an X-Request-Id.',
  },
  'manager:foreign-page': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'Requests from web pages of other origins, or addressed to another host name, are rejected.',
  },
  'manager:trust': {
    source: 'docs/mcp-manager-config.md#tools',
    behavior:
      'A group contains only its own tools, a renamed tool appears under its new name, an unpinned tool is blocked, and an approval requires the X-Confirm-Tool header.',
  },
  'manager:traces': {
    source: 'docs/telemetry.md',
    behavior:
      'With a collector, requests and server calls create spans, and servers receive the trace context in `_meta` and in headers.',
  },
  'manager:down': {
    source: 'docs/mcp-manager.md#http-api',
    behavior: 'A call to a server that is down returns 503 with Retry-After.',
  },
} as const satisfies Behaviors;
