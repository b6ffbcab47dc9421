/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { dataTable } from '../components/data-table.js';
import { badge, facts, figures } from '../components/facts.js';
import { counted } from '../counted.js';
import { element, listed, scrollable } from '../dom.js';
import { count, dateTime, duration, money } from '../format.js';
import { every, livePart } from '../parts/live-part.js';
import { exactMoney } from '../parts/exact-money.js';
import { linkTo } from '../route.js';
import { table } from '../table.js';

const LIVE_MS = 2000;

/** @type {readonly GatewaySection[]} */
export const REQUESTS = [
  {
    path: 'requests',
    name: 'Requests',
    group: 'Usage',
    show({ root, session, signal }) {
      const live = livePart(signal, (leaving) => drawLive(session, leaving));
      every(signal, LIVE_MS, live.refresh);
      root.append(
        element('h2', {}, 'In flight'),
        live,
        element('h2', {}, 'Past'),
        dataTable({
          caption: 'Past requests',
          columns: [
            { key: 'timestamp', title: 'Time', cell: (row) => dateTime(row.timestamp) },
            { key: 'status', title: 'Status', cell: statusOf },
            { key: 'model', title: 'Model' },
            { key: 'user_id', title: 'User' },
            { key: 'total_tokens', title: 'Tokens', numeric: true, cell: (row) => count(row.total_tokens) },
            { key: 'cost', title: 'Cost', numeric: true, cell: (row) => money(row.cost) },
            { key: 'latency_ms', title: 'Duration', numeric: true, cell: (row) => duration(row.latency_ms) },
            { key: 'error_message', title: 'Error', cell: (row) => row.error_message ?? '' },
          ],
          filters: [
            {
              key: 'status',
              title: 'Status',
              kind: 'choice',
              choices: ['success', 'error', 'cancelled', 'interrupted'],
            },
            { key: 'model', title: 'Model', kind: 'text' },
            { key: 'user_id', title: 'User', kind: 'text' },
            { key: 'api_key_id', title: 'Key id', kind: 'text' },
            { key: 'team_id', title: 'Team', kind: 'text' },
            { key: 'from', title: 'From', kind: 'date' },
            { key: 'to', title: 'Before', kind: 'date' },
          ],
          async load({ filters, cursor, limit, signal: leaving }) {
            const query = { ...filters, cursor, limit };
            const { data } = await session.call('v1/requests', { query, signal: leaving });
            return { rows: data.items, next: data.next };
          },
          href: (row) => linkTo(['requests', row.id]),
          empty: 'No requests yet.',
        }),
      );
    },
  },
  { path: 'requests/:id', title: 'Request', show: showRequest },
];

/** @type {Readonly<Record<string, string>>} */
const OUTCOMES = { error: 'Failed', cancelled: 'Cancelled', interrupted: 'Interrupted' };

/** @param {any} row */
const statusOf = ({ status, status_code: code, cache_hit: hit }) =>
  status === 'error'
    ? badge(`error ${code ?? ''}`, 'alarm')
    : status !== 'success'
      ? badge(status, status === 'interrupted' ? 'alarm' : 'plain')
      : badge(hit === null || hit === undefined ? 'success' : `cached (${hit})`, 'good');

/**
 * @param {Session} session
 * @param {AbortSignal} signal
 */
async function drawLive(session, signal) {
  const { data } = await session.call('v1/requests/live', { signal });
  if (data.length === 0) return [element('p', { class: 'hint' }, 'No request is in flight.')];
  return [
    scrollable(
      'Requests in flight',
      table(
        'Requests in flight',
        ['Request', 'Model', 'User', 'Endpoint', 'Running for', 'Failed attempts'],
        data.map((/** @type {any} */ one) => [
          one.request_id,
          one.model ?? 'waiting for a model',
          one.user_id ?? '–',
          one.endpoint,
          duration(one.duration_ms),
          attemptsText(one.attempts),
        ]),
        'data',
      ),
    ),
  ];
}

/** @param {readonly any[]} attempts */
const attemptsText = (attempts) =>
  attempts
    .filter(({ outcome }) => outcome !== 'answered')
    .map(({ model, failure }) => `${model}: ${failure}`)
    .join(', ') || 'None';

/** @param {Parameters<GatewaySection['show']>[0]} place */
async function showRequest({ root, params, session, linked, setTitle, signal }) {
  const { data } = await session.call(`v1/requests/${encodeURIComponent(params['id'] ?? '')}`, { signal });
  const last = data.attempts.at(-1).usage;
  setTitle(`Request ${data.request_id ?? data.id}`);
  const cost = data.attempts.reduce(
    (/** @type {number} */ sum, /** @type {any} */ one) => sum + (one.usage.cost ?? 0),
    0,
  );
  root.append(
    figures([
      {
        name: 'Outcome',
        value: OUTCOMES[last.status] ?? 'Success',
        note: `HTTP ${last.status_code ?? '–'}`,
        kind: last.status === 'success' ? 'good' : last.status === 'cancelled' ? 'warning' : 'alarm',
      },
      { name: 'Cost', value: exactMoney(cost), note: counted(data.attempts.length, 'attempt') },
      {
        name: 'Duration',
        value: duration(last.latency_ms),
        note: `first output after ${duration(last.ttft_ms)}`,
      },
      { name: 'Tokens', value: count(last.total_tokens), note: `${count(last.completion_tokens)} output` },
    ]),
    facts([
      ['Time', dateTime(last.timestamp)],
      ['Request id', data.request_id ?? '–'],
      ['Endpoint', last.endpoint],
      ['User', last.user_id === null ? '–' : linked('users', last.user_id)],
      ['Key', last.api_key_id === null ? 'Master key, or a deleted key' : linked('keys', last.api_key_id)],
      ['Team', last.team_id === null ? '–' : linked('teams', last.team_id)],
      ['User of the client', last.end_user ?? '–'],
      ['Tags', listed(last.tags)],
    ]),
    element('h2', {}, 'Attempts'),
    element('ol', { class: 'attempts' }, ...data.attempts.map(attemptItem)),
    element('h2', {}, 'Prompt and answer'),
    await promptPart(session, data.request_id, signal),
  );
}

/** @param {any} attempt */
function attemptItem({ usage, cost_parts: parts }) {
  return element(
    'li',
    {},
    element('p', {}, element('strong', {}, usage.model), ' ', statusOf(usage)),
    facts([
      ...(usage.status !== 'success' ? [/** @type {const} */ (['Error', usage.error_message ?? '–'])] : []),
      ...(usage.error_detail === undefined
        ? []
        : [/** @type {const} */ (['Reason of the provider', element('code', {}, usage.error_detail)])]),
      ['Duration', duration(usage.latency_ms)],
      ['Tokens', `${count(usage.prompt_tokens)} input, ${count(usage.completion_tokens)} output`],
      ['Price from', usage.priced_by ?? '–'],
    ]),
    costTable(usage, parts),
  );
}

/**
 * @param {any} usage
 * @param {readonly any[] | null} parts
 */
function costTable(usage, parts) {
  if (parts === null) {
    return element(
      'p',
      { class: 'hint' },
      usage.cost === null
        ? usage.status === 'error'
          ? 'The attempt cost nothing.'
          : 'The cost is unknown, because the model has no price.'
        : `Cost ${exactMoney(usage.cost)}. Its parts are not known, because it is free or the price has changed since.`,
    );
  }
  return scrollable(
    `Cost of ${usage.model}`,
    table(
      `Cost of ${usage.model}`,
      ['Part', 'Tokens', 'Price per million', 'Cost'],
      [
        ...parts.map((part) => [
          part.part.replaceAll('_', ' '),
          count(part.tokens),
          exactMoney(part.price_per_million),
          exactMoney(part.cost),
        ]),
        ['total', '', '', exactMoney(usage.cost)],
      ],
      'data totals',
    ),
  );
}

/**
 * @param {Session} session
 * @param {string | null} id
 * @param {AbortSignal} signal
 */
async function promptPart(session, id, signal) {
  const { data: me } = await session.call('v1/me', { signal });
  if (me.role !== 'admin' || me.scope === 'models')
    return element('p', { class: 'hint' }, 'Only administrators see stored prompts.');
  const query = { request_id: id ?? '', limit: 1 };
  const { data: stored } = await session.call('v1/admin/prompts', { query, signal });
  if (id === null || stored.total === 0)
    return element('p', { class: 'hint' }, 'Not stored. Prompts of a key with log_prompts are stored.');
  const { data } = await session.call(`v1/admin/prompts/${encodeURIComponent(id)}`, { signal });
  return element(
    'div',
    { class: 'page' },
    ...data.flatMap((/** @type {any} */ one) => [
      element('h3', {}, 'Request'),
      element('pre', { tabindex: 0 }, one.request),
      element('h3', {}, 'Answer'),
      element('pre', { tabindex: 0 }, one.answer ?? 'None'),
    ]),
  );
}
