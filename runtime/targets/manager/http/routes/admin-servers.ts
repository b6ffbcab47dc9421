import { systemClock } from '#platform/clock.ts';
import { readProcessTable } from '#platform/process-tree/process-table.ts';
import { wordOf } from '#serve/http/query.ts';
import type { CallStatistics } from '../../calls/statistics.ts';
import { isPerUser } from '../../config/is-per-user.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagedServer, ServerStatus } from '../../supervisor/managed-server.ts';
import { createUsageSampler, type ServerUsage } from '../../supervisor/usage-sampler.ts';
import { requireAdmin } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { overviewView } from '../views/overview.ts';
import { serverOf } from './admin.ts';
import { PHASES } from '../../supervisor/managed-server.ts';
import { GET_SERVER, HEALTHS, LIST_SERVERS, SORTS } from './admin-servers-operations.ts';
import { pageOf, slicePage } from './paging.ts';

/** What servers are sorted by. */
interface Facts {
  readonly server: ManagedServer;
  readonly status: ServerStatus;
  readonly calls: CallStatistics;
  readonly usage: ServerUsage | undefined;
}

/** `/api/v1/admin/servers`: the servers with their calls and what they use, searched, sorted and paged. */
export function adminServerRoutes(
  { supervisor, calls }: ManagerContext,
  { answer }: HttpParts,
): ManagerRoutes {
  const routes = newRoutes();
  const sampler = createUsageSampler({ supervisor, clock: systemClock, readTable: readProcessTable });

  routes.get('/api/v1/admin/servers', async (c) => {
    const caller = requireAdmin(c, 'some');
    const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const phase = wordOf(c, 'phase', ['any', ...PHASES], 'any');
    const health = wordOf(c, 'health', ['any', ...HEALTHS], 'any');
    const sort = wordOf(c, 'sort', SORTS, 'name');
    const page = pageOf(c);
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
    return answer(c, 'ServerOverviews', {
      servers: items.map((one) => overviewView(one.server, one.calls, one.usage)),
      total,
      phases: Object.fromEntries(
        [...Map.groupBy(all, ({ status }) => status.phase)].map(([name, members]) => [name, members.length]),
      ),
      ...compact({ nextCursor }),
    });
  });
  routes.get('/api/v1/admin/servers/:name', async (c) => {
    const caller = requireAdmin(c, { server: c.req.param('name') });
    const server = serverOf(supervisor, c.req.param('name'));
    const usage = await sampler.read();
    const view = overviewView(server, calls.statistics(server.name), usage.get(server.name));
    // A user has not signed in to such a server before the first call, and the server itself never has.
    const own = server.forUser(caller.user).signIn();
    const signIn = own ?? (isPerUser(server.spec()) ? 'required' : undefined);
    return answer(c, 'ServerOverviewBody', { ...view, ...compact({ signIn }) });
  });

  return { routes, operations: [LIST_SERVERS, GET_SERVER] };
}

type SortKey = Exclude<(typeof SORTS)[number], `-${string}`>;

/** The values to sort by; servers without a value are the last ones. */
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
  // Sorting is stable, so equal servers stay in the order of their names.
  rows.sort((one, other) => {
    if (one.value === undefined || other.value === undefined) {
      return Number(one.value === undefined) - Number(other.value === undefined);
    }
    const order = one.value < other.value ? -1 : Number(one.value > other.value);
    return isDescending ? -order : order;
  });
  return rows.map(({ facts }) => facts);
}
