/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { badge } from '../components/facts.js';
import { element, listed, scrollable } from '../dom.js';
import { count, dateTime, duration } from '../format.js';
import { every, livePart } from '../parts/live-part.js';
import { resourcePages } from '../parts/resource.js';
import { table } from '../table.js';

const REFRESH_MS = 5000;

/** @type {readonly GatewaySection[]} */
export const PROVIDERS = [
  ...resourcePages({
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
    empty: 'No providers. Add one, or name one in the configuration file.',
    deletion: 'Requests to its models are rejected. Those in flight continue.',
    intro: 'Providers of the configuration file are changed there.',
    canChange: ({ source }) => source === 'database',
  }),
  {
    path: 'health',
    name: 'Provider health',
    group: 'Usage',
    readers: true,
    show({ root, session, signal }) {
      const part = livePart(signal, (leaving) => drawStates(session, leaving));
      every(signal, REFRESH_MS, part.refresh);
      root.append(
        element(
          'p',
          { class: 'hint' },
          'Circuit breakers, pauses and speeds in the gateway process that answers. A breaker opens after several failures, so that requests do not wait for a provider that is down.',
        ),
        part,
      );
    },
  },
];

/** @param {any} row */
function statusOf({ status }) {
  return badge(status, status === 'active' ? 'good' : status === 'invalid' ? 'alarm' : 'warning');
}

const BREAKERS = /** @type {const} */ ({
  closed: ['Works', 'good'],
  open: ['Suspended', 'alarm'],
  trial: ['Is tried again', 'warning'],
});

/**
 * @param {Session} session
 * @param {AbortSignal} signal
 */
async function drawStates(session, signal) {
  const { data } = await session.call('v1/provider-states', { signal });
  if (data.length === 0)
    return [
      element(
        'p',
        { class: 'state' },
        'All models work: no breaker is open, and no failure was the last result.',
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
        data.map((/** @type {any} */ one) => {
          const [words, kind] = BREAKERS[/** @type {keyof typeof BREAKERS} */ (one.breaker)];
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
