import { AppError } from '#contract/errors.ts';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import type { ManagerContext } from '../../context.ts';
import {
  type ManagedServer,
  type Supervisor,
  type ServerStatus,
  PHASES,
} from '../../supervisor/managed-server.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { auditView, statusView, overviewView } from '../views/server-view.ts';
import {
  reloadBody,
  serverStatusBody,
  statusBody,
  serverOverviewBody,
  serverOverviews,
} from '../schemas/admin.ts';
import { SERVER_NAME, pageOfItems, slicePage, ITEM_PAGE_PARAMETERS, searchParameter } from './operations.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { systemClock } from '#platform/clock.ts';
import { readProcessTable } from '#platform/process-tree/process-table.ts';
import { wordOf } from '#serve/http/query.ts';
import type { CallStatistics } from '../../calls/metrics.ts';
import { signsInPerUser } from '../../config/spec.ts';
import { createUsageSampler, type ServerUsage } from '../../supervisor/usage-sampler.ts';
import { compact } from '../views/compact.ts';
import { oneOf } from '#serve/http/schemas.ts';

/** `/api/v1/admin`: server status, reloads and restarts. */
export function serverAdminRoutes(
  context: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  const { supervisor, reloader, version, audit, scans } = context;
  return [
    route({
      method: 'get',
      path: '/api/v1/admin/status',
      guard: guards.admin('some'),
      id: 'getStatus',
      tag: 'Admin',
      summary: 'Get the status of all servers.',
      answer: answerOf('The status of all servers, sorted by name.', statusBody, {
        version: '0.1.0',
        servers: [TIME],
      }),
      run: (c) => {
        const caller = callerOfRequest(c);
        const servers = supervisor
          .names()
          .filter((name) => caller.canUse(name))
          .flatMap((name) => supervisor.get(name) ?? []);
        return {
          version,
          ...compact({ auditLog: auditView(audit) }),
          servers: servers.map((server) => statusView(server, scans)),
        };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/reload',
      guard: guards.admin('all'),
      id: 'reload',
      tag: 'Admin',
      summary: 'Reload the configuration.',
      description:
        'Applies the new configuration completely or, if it contains an error, not at all. Unchanged servers keep running, and no call is interrupted.',
      answer: answerOf('The changes.', reloadBody, {
        added: ['memory'],
        removed: [],
        restarted: ['time'],
        updated: [],
      }),
      errors: [422, 502],
      run: async () => {
        const { added, removed, restarted, updated } = await reloader.reload().catch((error: unknown) => {
          throw rejectedConfigError(error);
        });
        return { added, removed, restarted, updated };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/servers/:name/restart',
      guard: guards.admin('named'),
      id: 'restartServer',
      tag: 'Admin',
      summary: 'Restart a server.',
      parameters: [SERVER_NAME],
      answer: answerOf('The server’s status after the restart.', serverStatusBody, TIME),
      errors: [404, 502, 503],
      run: async (c) => {
        const server = serverOfPath(supervisor, c.req.param('name'));
        await server.restart();
        return statusView(server, scans);
      },
    }),
  ];
}

const TIME = {
  name: 'time',
  status: 'ok',
  lastChecked: '2026-01-31T12:00:00.123456Z',
  lastSuccessful: '2026-01-31T12:00:00.123456Z',
  latency: '1.234567ms',
  phase: 'running',
  pid: 4242,
  startedAt: '2026-01-31T11:00:00Z',
  restarts: 0,
  protocolVersion: '2025-11-25',
  server: 'time 1.0.6',
  running: 0,
  queued: 0,
};

export function serverOfPath(supervisor: Supervisor, name: string): ManagedServer {
  const server = supervisor.get(name);
  if (!server) throw new AppError('NotFoundError', `server not found: ${name}`);
  return server;
}

/** Sort keys for servers. */
interface Facts {
  readonly server: ManagedServer;
  readonly status: ServerStatus;
  readonly calls: CallStatistics;
  readonly usage: ServerUsage | undefined;
}

/** `/api/v1/admin/servers`: servers with their calls and resource usage; supports search, sorting and paging. */
export function adminServerRoutes(
  { supervisor, calls, scans }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  const sampler = createUsageSampler({ supervisor, clock: systemClock, readTable: readProcessTable });

  return [
    route({
      method: 'get',
      path: '/api/v1/admin/servers',
      guard: guards.admin('some'),
      id: 'listServerOverviews',
      tag: 'Admin',
      summary: 'List the servers with their status, calls, memory and CPU time.',
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
          description: 'Sort order, descending with `-`. Servers without a value are last.',
          example: '-memory',
          schema: oneOf(SORTS, { default: 'name' }),
        },
        ...ITEM_PAGE_PARAMETERS,
      ],
      answer: answerOf('One page of servers.', serverOverviews, {
        servers: [OVERVIEW],
        total: 1,
        phases: { running: 1 },
      }),
      errors: [422],
      run: async (c) => {
        const caller = callerOfRequest(c);
        const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
        const phase = wordOf(c, 'phase', ['any', ...PHASES], 'any');
        const health = wordOf(c, 'health', ['any', ...HEALTHS], 'any');
        const sort = wordOf(c, 'sort', SORTS, 'name');
        const page = pageOfItems(c);
        const usage = await sampler.read();
        const all = supervisor.names().flatMap((name): Facts[] => {
          const server = supervisor.get(name);
          if (!server || !caller.canUse(name)) return [];
          return [{ server, status: server.status(), calls: calls.statistics(name), usage: usage.get(name) }];
        });
        const found = all.filter(
          ({ server, status }) =>
            words.every((word) => server.name.includes(word)) &&
            (phase === 'any' || status.phase === phase) &&
            (health === 'any' || server.health().status === health),
        );
        const { items, total, nextCursor } = slicePage(sorted(found, sort), page);
        return {
          servers: items.map((one) => overviewView(one.server, one.calls, one.usage, scans)),
          total,
          phases: Object.fromEntries(
            [...Map.groupBy(all, ({ status }) => status.phase)].map(([name, members]) => [
              name,
              members.length,
            ]),
          ),
          ...compact({ nextCursor }),
        };
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/admin/servers/:name',
      guard: guards.admin('named'),
      id: 'getServerOverview',
      tag: 'Admin',
      summary: 'Get a server’s status, calls, memory and CPU time.',
      parameters: [SERVER_NAME],
      answer: answerOf('The server.', serverOverviewBody, OVERVIEW),
      errors: [404],
      run: async (c) => {
        const caller = callerOfRequest(c);
        const server = serverOfPath(supervisor, c.req.param('name'));
        const usage = await sampler.read();
        const view = overviewView(server, calls.statistics(server.name), usage.get(server.name), scans);
        // On a server with one sign-in per user, the state is unknown before the user's first call.
        const own = server.forUser(caller).signIn();
        const signIn = own ?? (signsInPerUser(server.spec()) ? 'required' : undefined);
        return { ...view, ...compact({ signIn }) };
      },
    }),
  ];
}

type SortKey = Exclude<(typeof SORTS)[number], `-${string}`>;

/** The values to sort by; servers without a value come last. */
const VALUES: Record<SortKey, (facts: Facts) => string | number | undefined> = {
  name: ({ server }) => server.name,
  phase: ({ status }) => PHASES.indexOf(status.phase),
  restarts: ({ status }) => status.restarts,
  calls: ({ calls }) => calls.calls,
  failed: ({ calls }) => calls.failed,
  p50: ({ calls }) => calls.p50,
  p95: ({ calls }) => calls.p95,
  memory: ({ usage }) => usage?.memory,
  cpu: ({ usage }) => usage?.processors ?? usage?.seconds,
};

function sorted(all: readonly Facts[], sort: (typeof SORTS)[number]): readonly Facts[] {
  const isDescending = sort.startsWith('-');
  const value = VALUES[(isDescending ? sort.slice(1) : sort) as SortKey];
  const rows = all.map((facts) => ({ facts, value: value(facts) }));
  // Sorting is stable, so servers with equal values stay sorted by name.
  rows.sort((one, other) => {
    if (one.value === undefined || other.value === undefined) {
      return Number(one.value === undefined) - Number(other.value === undefined);
    }
    const order = one.value < other.value ? -1 : Number(one.value > other.value);
    return isDescending ? -order : order;
  });
  return rows.map(({ facts }) => facts);
}

const HEALTHS = ['ok', 'timeout', 'unreachable', 'unknown'] as const;
const SORT_KEYS = ['name', 'phase', 'restarts', 'calls', 'failed', 'p50', 'p95', 'memory', 'cpu'] as const;
const SORTS = [...SORT_KEYS, ...SORT_KEYS.map((key) => `-${key}` as const)] as const;

const OVERVIEW = {
  ...TIME,
  kind: 'process',
  start: 'npx',
  calls: { calls: 12, failed: 1, p50Ms: 3.2, p95Ms: 8.1, p99Ms: 9.4, lastCalledAt: '2026-01-31T12:00:00Z' },
  usage: { processes: 2, memoryBytes: 91_226_112, cpuSeconds: 0.42, processors: 0.01 },
  pinned: false,
};
