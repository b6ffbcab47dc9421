import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { feedbackPage } from '#gateway/api/feedback-schemas.ts';
import type { promptPage, prompts } from '#gateway/api/prompts.ts';
import type { liveRequests, requestDetails, requestPage } from '#gateway/api/requests-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge, facts, figures, table } from '#serve/http/pages/browser/components/facts.ts';
import { counted, count, dateTime, duration, money } from '#serve/http/pages/browser/format.ts';
import { element, listed, scrollable } from '#serve/http/pages/browser/dom.ts';
import { every, livePart } from '../parts/live-part.ts';
import { exactMoney } from '../parts/resource.ts';
import { feedbackList } from './feedback.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

type Attempt = Static<typeof requestDetails>['attempts'][number];
type Live = Static<typeof liveRequests>;
type Usage = Attempt['usage'];

const LIVE_MS = 2000;

export const REQUESTS: readonly GatewaySection[] = [
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
            const { data } = await session.call<Static<typeof requestPage>>('v1/requests', {
              query,
              signal: leaving,
            });
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

const OUTCOMES: Readonly<Record<string, string>> = {
  error: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
};

const statusOf = ({ status, status_code: code, cache_hit: hit }: Usage) =>
  status === 'error'
    ? badge(`error ${code ?? ''}`, 'alarm')
    : status !== 'success'
      ? badge(status, status === 'interrupted' ? 'alarm' : 'plain')
      : badge(hit === null || hit === undefined ? 'success' : `cached (${hit})`, 'good');

async function drawLive(session: Session, signal: AbortSignal) {
  const { data } = await session.call<Live>('v1/requests/live', { signal });
  if (data.length === 0) return [element('p', { class: 'hint' }, 'No requests are in flight.')];
  return [
    scrollable(
      'Requests in flight',
      table(
        'Requests in flight',
        ['Request', 'Model', 'User', 'Endpoint', 'Running for', 'Failed attempts'],
        data.map((one) => [
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

const attemptsText = (attempts: Live[number]['attempts']) =>
  attempts
    .filter(({ outcome }) => outcome !== 'answered')
    .map(({ model, failure }) => `${model}: ${failure}`)
    .join(', ') || 'None';

async function showRequest({ root, params, session, linked, setTitle, signal }: Place) {
  const { data } = await session.call<Static<typeof requestDetails>>(
    `v1/requests/${encodeURIComponent(params['id'] ?? '')}`,
    { signal },
  );
  const last = data.attempts.at(-1)?.usage;
  if (!last) throw new Error('a request has at least one attempt');
  setTitle(`Request ${data.request_id ?? data.id}`);
  const cost = data.attempts.reduce((sum, one) => sum + (one.usage.cost ?? 0), 0);
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
    element('h2', {}, 'Feedback'),
    await feedbackPart(session, data.request_id, signal),
    element('h2', {}, 'Prompt and answer'),
    await promptPart(session, data.request_id, signal),
  );
}

function attemptItem({ usage, cost_parts: parts }: Attempt) {
  return element(
    'li',
    {},
    element('p', {}, element('strong', {}, usage.model), ' ', statusOf(usage)),
    facts([
      ...(usage.status !== 'success' ? [['Error', usage.error_message ?? '–'] as const] : []),
      ...(usage.error_detail === undefined
        ? []
        : [['Provider’s reason', element('code', {}, usage.error_detail)] as const]),
      ['Duration', duration(usage.latency_ms)],
      ['Tokens', `${count(usage.prompt_tokens)} input, ${count(usage.completion_tokens)} output`],
      ['Price from', usage.priced_by ?? '–'],
    ]),
    costTable(usage, parts),
  );
}

function costTable(usage: Usage, parts: Attempt['cost_parts']) {
  if (parts === null) {
    return element(
      'p',
      { class: 'hint' },
      usage.cost === null
        ? usage.status === 'error'
          ? 'The attempt cost nothing.'
          : 'The cost is unknown, because the model has no price.'
        : `Cost ${exactMoney(usage.cost)}. The breakdown is not available, because the request was free or the price has since changed.`,
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

async function feedbackPart(session: Session, id: string | null, signal: AbortSignal) {
  if (id === null) return feedbackList([]);
  const query = { request_id: id, limit: 100 };
  const { data } = await session.call<Static<typeof feedbackPage>>('v1/feedback', { query, signal });
  return feedbackList(data.items);
}

async function promptPart(session: Session, id: string | null, signal: AbortSignal) {
  const { data: caller } = await session.call<Static<typeof me>>('v1/me', { signal });
  if (caller.role !== 'admin' || caller.scope === 'models')
    return element('p', { class: 'hint' }, 'Only administrators can see stored prompts.');
  const query = { request_id: id ?? '', limit: 1 };
  const { data: stored } = await session.call<Static<typeof promptPage>>('v1/admin/prompts', {
    query,
    signal,
  });
  if (id === null || stored.total === 0)
    return element('p', { class: 'hint' }, 'Not stored. Prompts are stored only for keys with log_prompts.');
  const { data } = await session.call<Static<typeof prompts>>(`v1/admin/prompts/${encodeURIComponent(id)}`, {
    signal,
  });
  return element(
    'div',
    { class: 'page' },
    ...data.flatMap((one) => [
      element('h3', {}, 'Request'),
      element('pre', { tabindex: 0 }, one.request),
      element('h3', {}, 'Answer'),
      element('pre', { tabindex: 0 }, one.answer ?? 'None'),
    ]),
  );
}
