import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises over HTTP. */
export const MANAGER_HTTP = {
  'manager:servers': {
    source: 'manager contract 4',
    behavior: 'GET /api/v1/servers is the sorted names of all servers, those that failed too.',
  },
  'manager:names': {
    source: 'manager reference 5.6',
    behavior: 'Server names are found in any case, with spaces around them, also by the health routes.',
  },
  'manager:health': {
    source: 'manager contract 2, reference 1.1',
    behavior:
      'A healthy server is ok with both times and a latency as Go prints it; a dead one is unreachable.',
  },
  'manager:health:unknown': {
    source: 'manager reference 1.1',
    behavior: 'Health of a server that is not there is 404.',
  },
  'manager:tools': {
    source: 'manager contract 2, 4',
    behavior: 'Tools have the fields of the contract and no others, in the spelling of the server.',
  },
  'manager:tools:detail': {
    source: 'manager contract 4 rule 1',
    behavior: 'detail is minimal, summary or full in any case; another value is 422 and names these.',
  },
  'manager:call:text': {
    source: 'manager reference 5.4',
    behavior:
      'A result is a JSON string: its text blocks, one a line; else its structured content; else its content.',
  },
  'manager:call:full': {
    source: 'docs/mcp-manager.md',
    behavior: 'The whole result is there on request.',
  },
  'manager:call:numbers': {
    source: 'manager reference 3, D-25',
    behavior: 'Numbers reach the tool digit for digit.',
  },
  'manager:call:failed': {
    source: 'manager reference 1.2',
    behavior: 'A tool that fails is 502 with its output; a request that fails is 502 with its message.',
  },
  'manager:call:not-allowed': {
    source: 'manager reference 1.2',
    behavior:
      'A tool that is not allowed is 403; a tool that is allowed and that the server does not have, and an unknown server, are 404.',
  },
  'manager:call:timeout': {
    source: 'manager reference 5.2, D-24',
    behavior: 'A call that takes too long is 504, and the server gets a cancellation.',
  },
  'manager:call:gone': {
    source: 'manager reference 5.19',
    behavior: 'When the client leaves, the server gets a cancellation of its call.',
  },
  'manager:call:body': {
    source: 'manager reference 5.2, 5.18',
    behavior:
      'Bodies that are empty, malformed, no object, of another type or too large say so: 400, 422, 415, 413.',
  },
  'manager:search': {
    source: 'issue 23, 4',
    behavior: 'Tools, prompts and resources of all servers are searched.',
  },
  'manager:prompts': {
    source: 'manager contract 4',
    behavior: 'Prompts are listed, all pages together, and made from arguments; unknown ones are 404.',
  },
  'manager:resources': {
    source: 'manager contract 4',
    behavior:
      'Resources and templates are listed, all pages together, and read as text or blob, empty ones too.',
  },
  'manager:not-implemented': {
    source: 'manager reference 1.2, 5.25',
    behavior: 'Prompts and resources of a server that has none are 501.',
  },
  'manager:schemas': {
    source: 'manager contract 2, reference 1.3',
    behavior: 'Bodies name their schema first and in a Link header, and the schema is there.',
  },
  'manager:problems': {
    source: 'manager contract 7',
    behavior: 'Every error is problem+json, for unknown paths and methods too.',
  },
  'manager:openapi': {
    source: 'manager contract 9',
    behavior:
      'The OpenAPI document is there in 3.1 and 3.0, as JSON and YAML, with all ten operations, and a page to read it.',
  },
  'manager:pages': {
    source: 'issue 23, part 4',
    behavior:
      'Browsers get the pages at /, with all of their files; without a key that can edit, servers are not changed over HTTP.',
  },
  'manager:operations': {
    source: 'design "Services decided"',
    behavior: '/healthz, /readyz and /metrics answer, and every answer has an X-Request-Id.',
  },
  'manager:foreign-page': {
    source: 'manager reference 3, D-23',
    behavior: 'Requests of web pages of other origins, or to another host name, are refused.',
  },
  'manager:trust': {
    source: 'docs/mcp-manager-config.md, tools and groups',
    behavior:
      'A group has only its tools, a renamed tool has its new name, a tool that is not pinned is blocked, and an approval needs X-Confirm-Tool.',
  },
  'manager:traces': {
    source: 'docs/telemetry.md',
    behavior:
      'With a collector, requests and the calls of servers have spans, and servers get the trace in `_meta` and in headers.',
  },
  'manager:down': {
    source: 'manager reference 5.2',
    behavior: 'A call to a server that is down is 503 with Retry-After.',
  },
} as const satisfies Behaviors;
