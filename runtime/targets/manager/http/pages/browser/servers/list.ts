import type { Static } from 'typebox';
import type { serverOverviews } from '#manager/http/schemas/admin.ts';
import type { serverHealth } from '#manager/http/schemas/health.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { figures } from '#serve/http/pages/browser/components/facts.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { bytes, count, duration, percent } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { admin, api, readCaller } from '../shared/caller.ts';
import { healthBadge, phaseBadge } from '../shared/parts.ts';

type Overviews = Static<typeof serverOverviews>;
interface Health {
  readonly servers: readonly Static<typeof serverHealth>[] | null;
}

const PHASES = ['failed', 'waiting', 'installing', 'starting', 'stopping', 'running', 'idle'];
/** Server states and statistics change constantly. */
const REFRESH_MS = 5000;

/** All servers and their states. A key without admin permission only sees their health. */
export async function showServers({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  if (!caller.admin) {
    root.append(healthTable(session));
    return;
  }
  const summary = element('div');
  const table = dataTable<Overviews['servers'][number]>({
    caption: 'Servers',
    filters: [
      { key: 'q', title: 'Search', kind: 'text' },
      { key: 'phase', title: 'State', kind: 'choice', choices: PHASES },
      {
        key: 'health',
        title: 'Health',
        kind: 'choice',
        choices: ['ok', 'timeout', 'unreachable', 'unknown'],
      },
    ],
    columns: [
      { key: 'name', title: 'Server', sortable: true },
      { key: 'phase', title: 'State', sortable: true, cell: ({ phase }) => phaseBadge(phase) },
      { key: 'status', title: 'Health', cell: ({ status }) => healthBadge(status) },
      {
        key: 'restarts',
        title: 'Restarts',
        numeric: true,
        sortable: true,
        cell: ({ restarts }) => count(restarts),
      },
      {
        key: 'calls',
        title: 'Calls',
        numeric: true,
        sortable: true,
        cell: ({ calls }) => count(calls.calls),
      },
      {
        key: 'failed',
        title: 'Failed',
        numeric: true,
        sortable: true,
        cell: ({ calls }) => (calls.calls === 0 ? '–' : percent(calls.failed / calls.calls)),
      },
      { key: 'p50', title: 'p50', numeric: true, sortable: true, cell: ({ calls }) => duration(calls.p50Ms) },
      { key: 'p95', title: 'p95', numeric: true, sortable: true, cell: ({ calls }) => duration(calls.p95Ms) },
      {
        key: 'memory',
        title: 'Memory',
        numeric: true,
        sortable: true,
        cell: ({ usage }) => bytes(usage?.memoryBytes),
      },
      {
        key: 'cpu',
        title: 'Processors',
        numeric: true,
        sortable: true,
        cell: ({ usage }) => (usage?.processors === undefined ? '–' : percent(usage.processors)),
      },
    ],
    sort: 'name',
    href: ({ name }) => linkTo(['servers', name]),
    async load({ sort, filters, cursor, limit, signal: stop }) {
      const { data } = await session.call<Overviews>(admin('servers'), {
        query: { ...filters, sort, cursor, limit },
        signal: stop,
      });
      summary.replaceChildren(phaseFigures(data.phases));
      return { rows: data.servers, total: data.total, next: data.nextCursor };
    },
    empty: empty('No servers are configured.', { name: 'Add a server', href: '#/add' }),
  });
  root.append(summary, table);
  const timer = setInterval(() => {
    if (!document.hidden && !table.contains(document.activeElement)) void table.refresh();
  }, REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

function phaseFigures(phases: Record<string, number>) {
  const total = Object.values(phases).reduce((sum, number) => sum + number, 0);
  const troubled = (phases['failed'] ?? 0) + (phases['waiting'] ?? 0);
  return figures([
    { name: 'Servers', value: count(total) },
    { name: 'Running', value: count(phases['running'] ?? 0), kind: 'good' },
    ...(phases['installing'] ? [{ name: 'Installing', value: count(phases['installing']) }] : []),
    { name: 'Idle', value: count(phases['idle'] ?? 0), note: 'start on the next call' },
    {
      name: 'Not running',
      value: count(troubled),
      note: 'failed, or waiting for a restart',
      ...(troubled > 0 ? { kind: 'alarm' as const } : {}),
    },
  ]);
}

const healthTable = (session: Place['session']) =>
  dataTable<NonNullable<Health['servers']>[number]>({
    caption: 'Servers',
    columns: [
      { key: 'name', title: 'Server' },
      { key: 'status', title: 'Health', cell: ({ status }) => healthBadge(status) },
      { key: 'latency', title: 'Check latency', numeric: true },
    ],
    href: ({ name }) => linkTo(['servers', name, 'tools']),
    async load({ signal }) {
      const { data } = await session.call<Health>(api('health', 'servers'), { signal });
      return { rows: data.servers ?? [], total: data.servers?.length ?? 0 };
    },
    empty: 'This key cannot use any server.',
  });
