import type { Static } from 'typebox';
import type { keyStates, states } from '#gateway/api/provider-states.ts';
import type { provider } from '#gateway/api/providers.ts';
import type { queues } from '#gateway/api/queues.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { badge, table } from '#serve/http/pages/browser/components/facts.ts';
import { element, listed, scrollable } from '#serve/http/pages/browser/dom.ts';
import { count, dateTime, duration } from '#serve/http/pages/browser/format.ts';
import { every, livePart } from '../parts/live-part.ts';
import { resourcePages } from '../parts/resource.ts';

type Provider = Static<typeof provider>;

const REFRESH_MS = 5000;

export const PROVIDERS: readonly GatewaySection[] = [
  ...resourcePages<Provider>({
    path: 'providers',
    name: 'Providers',
    noun: 'provider',
    id: 'name',
    newSchema: 'NewProvider',
    changeSchema: 'ProviderChanges',
    columns: [
      { key: 'name', title: 'Name' },
      { key: 'type', title: 'API' },
      { key: 'api_base', title: 'Base URL' },
      { key: 'status', title: 'Status', cell: statusOf },
      { key: 'source', title: 'Configured in' },
      { key: 'used_by', title: 'Aliases', cell: (row) => listed(row.used_by) },
      { key: 'problem', title: 'Problem', cell: (row) => row.problem ?? '' },
    ],
    empty: 'No providers. Add one here or in the configuration file.',
    deletion: 'Requests to the provider’s models will be rejected. Requests in flight continue.',
    intro: 'Providers in the configuration file can only be changed there.',
    canChange: ({ source }) => source === 'database',
  }),
  {
    path: 'health',
    name: 'Provider health',
    group: 'Usage',
    readers: true,
    show({ root, session, signal }) {
      const part = livePart(signal, (leaving) => drawStates(session, leaving));
      const keys = livePart(signal, (leaving) => drawKeys(session, leaving));
      const waiting = livePart(signal, (leaving) => drawWaiting(session, leaving));
      every(signal, REFRESH_MS, part.refresh);
      every(signal, REFRESH_MS, keys.refresh);
      every(signal, REFRESH_MS, waiting.refresh);
      root.append(
        element(
          'p',
          { class: 'hint' },
          'Circuit breakers, pauses and speeds in the gateway process that handled this request. A breaker opens after several failures, so requests do not wait for a provider that is down.',
        ),
        part,
        keys,
        waiting,
      );
    },
  },
];

function statusOf({ status }: Provider) {
  return badge(status, status === 'active' ? 'good' : status === 'invalid' ? 'alarm' : 'warning');
}

const BREAKERS = {
  closed: ['Works', 'good'],
  open: ['Suspended', 'alarm'],
  trial: ['Is tried again', 'warning'],
} as const;

async function drawStates(session: Session, signal: AbortSignal) {
  const { data } = await session.call<Static<typeof states>>('v1/provider-states', { signal });
  if (data.length === 0)
    return [
      element(
        'p',
        { class: 'state' },
        'All models work: no breaker is open, and every model’s last request succeeded.',
      ),
    ];
  return [
    scrollable(
      'Models',
      table(
        'Models',
        [
          'Model',
          'Breaker',
          'Failures in a row',
          'Open until',
          'Paused until',
          'Running',
          'First output',
          'Per token',
        ],
        data.map((one) => {
          const [words, kind] = BREAKERS[one.breaker];
          return [
            one.model,
            badge(
              one.breaker === 'closed' && one.failures > 0 ? 'Last request failed' : words,
              one.failures > 0 && kind === 'good' ? 'warning' : kind,
            ),
            count(one.failures),
            dateTime(one.open_until),
            dateTime(one.paused_until),
            count(one.running),
            duration(one.first_output_ms),
            duration(one.output_token_ms),
          ];
        }),
        'data',
      ),
    ),
  ];
}

/** The keys of providers that have several; nothing if there are none. */
async function drawKeys(session: Session, signal: AbortSignal) {
  const { data } = await session.call<Static<typeof keyStates>>('v1/provider-keys', { signal });
  if (data.length === 0) return [];
  return [
    scrollable(
      'Keys of providers',
      table(
        'Keys of providers',
        ['Provider', 'Key', 'State', 'Used last until', 'Weight', 'Calls', 'Failed', 'Remaining'],
        data.map(({ provider, key, weight, calls, failures, cooling, limits }) => [
          provider,
          key,
          cooling.length === 0
            ? badge('Works', 'good')
            : badge(cooling[0]?.reason.replaceAll('_', ' ') ?? '', 'warning'),
          dateTime(cooling[0]?.until ?? null),
          count(weight),
          count(calls),
          count(Object.values(failures).reduce((sum, one) => sum + one, 0)),
          limits.map(({ model, of, remaining }) => `${model}: ${count(remaining)} ${of}`).join(', '),
        ]),
        'data',
      ),
    ),
  ];
}

/** The requests that wait in queues; nothing if there are none. */
async function drawWaiting(session: Session, signal: AbortSignal) {
  const { data } = await session.call<Static<typeof queues>>('v1/queues', { signal });
  if (data.length === 0) return [];
  return [
    scrollable(
      'Waiting requests',
      table(
        'Waiting requests',
        ['Priority', 'Requests', 'Longest waits since'],
        data.map((one) => [one.priority, count(one.requests), dateTime(one.waiting_since)]),
        'data',
      ),
    ),
  ];
}
