import type { Operation } from '#serve/http/openapi/operation.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { PHASES } from '../../supervisor/managed-server.ts';
import { serverOverviewBody, serverOverviews } from '../schemas/admin-servers.ts';
import { TIME } from './admin-operations.ts';
import { serverName } from './operations.ts';
import { PAGE_PARAMETERS, searchParameter } from './paging.ts';

export const HEALTHS = ['ok', 'timeout', 'unreachable', 'unknown'] as const;
const SORT_KEYS = ['name', 'phase', 'restarts', 'calls', 'failed', 'p50', 'p95', 'memory', 'cpu'] as const;
export const SORTS = [...SORT_KEYS, ...SORT_KEYS.map((key) => `-${key}` as const)] as const;

const OVERVIEW = {
  ...TIME,
  kind: 'process',
  start: 'npx',
  calls: { calls: 12, failed: 1, p50Ms: 3.2, p95Ms: 8.1, p99Ms: 9.4, lastCalledAt: '2026-01-31T12:00:00Z' },
  usage: { processes: 2, memoryBytes: 91_226_112, cpuSeconds: 0.42, processors: 0.01 },
  pinned: false,
};

export const LIST_SERVERS: Operation = {
  method: 'get',
  path: '/api/v1/admin/servers',
  id: 'listServerOverviews',
  tag: 'Admin',
  summary: 'List the servers with their status, their calls, and their memory and processor time.',
  parameters: [
    searchParameter('Words that the name must contain.'),
    {
      name: 'phase',
      in: 'query',
      description: 'Only servers in this phase.',
      example: 'failed',
      schema: oneOf(PHASES),
    },
    {
      name: 'health',
      in: 'query',
      description: 'Only servers whose last check had this result.',
      example: 'unreachable',
      schema: oneOf(HEALTHS),
    },
    {
      name: 'sort',
      in: 'query',
      description: 'Order, descending with `-`. Servers without a value are last.',
      example: '-memory',
      schema: oneOf(SORTS, { default: 'name' }),
    },
    ...PAGE_PARAMETERS,
  ],
  answer: answerOf('A page of the servers.', serverOverviews, {
    servers: [OVERVIEW],
    total: 1,
    phases: { running: 1 },
  }),
  errors: [403, 422],
};

export const GET_SERVER: Operation = {
  method: 'get',
  path: '/api/v1/admin/servers/{name}',
  id: 'getServerOverview',
  tag: 'Admin',
  summary: 'Get the status of a server, its calls, and its memory and processor time.',
  parameters: [serverName],
  answer: answerOf('The server.', serverOverviewBody, OVERVIEW),
  errors: [403, 404],
};
