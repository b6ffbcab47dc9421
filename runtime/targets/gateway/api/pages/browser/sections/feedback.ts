import type { Static } from 'typebox';
import type { feedback, feedbackRates } from '#gateway/api/feedback-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge, table } from '#serve/http/pages/browser/components/facts.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { count, dateTime, percent, short } from '#serve/http/pages/browser/format.ts';
import { pagesOf } from '../parts/lists.ts';

export type Feedback = Static<typeof feedback>;

export const FEEDBACK: readonly GatewaySection[] = [
  {
    path: 'feedback',
    name: 'Feedback',
    group: 'Usage',
    readers: true,
    async show({ root, session, signal }) {
      root.append(
        element('h2', {}, 'By model'),
        await ratesPart(session, signal),
        element('h2', {}, 'All feedback'),
        dataTable({
          caption: 'Feedback',
          columns: [
            { key: 'at', title: 'Time', cell: (row) => dateTime(row.at) },
            { key: 'thumb', title: 'Thumb', cell: thumbOf },
            { key: 'score', title: 'Score', numeric: true, cell: (row) => short(row.score) },
            { key: 'label', title: 'Label' },
            { key: 'text', title: 'Comment' },
            { key: 'author', title: 'Author', cell: (row) => row.author ?? 'master key' },
            { key: 'model', title: 'Model' },
            { key: 'request_id', title: 'Request' },
          ],
          filters: [
            { key: 'thumb', title: 'Thumb', kind: 'choice', choices: ['up', 'down'] },
            { key: 'label', title: 'Label', kind: 'text' },
            { key: 'model', title: 'Model', kind: 'text' },
            { key: 'user_id', title: 'User', kind: 'text' },
            { key: 'from', title: 'From', kind: 'date' },
            { key: 'to', title: 'Before', kind: 'date' },
          ],
          load: pagesOf<Feedback>(session, 'v1/feedback'),
          empty: 'No feedback. Clients send it to /v1/feedback.',
        }),
      );
    },
  },
];

const thumbOf = ({ thumb }: Pick<Feedback, 'thumb'>) =>
  thumb === null ? '' : thumb === 'up' ? badge('up', 'good') : badge('down', 'alarm');

async function ratesPart(session: Session, signal: AbortSignal) {
  const { data } = await session.call<Static<typeof feedbackRates>>('v1/usage/feedback', { signal });
  if (data.length === 0) return element('p', { class: 'hint' }, 'No feedback yet.');
  const rows = data.map((rate) => [
    rate.model,
    count(rate.feedback),
    count(rate.up),
    count(rate.down),
    rate.up_rate === null ? '–' : percent(rate.up_rate),
    rate.mean_score === null ? '–' : short(rate.mean_score),
  ]);
  const columns = ['Model', 'Feedback', 'Up', 'Down', 'Share of up', 'Mean score'];
  return scrollable('Feedback by model', table('Feedback by model', columns, rows, 'data'));
}

/** Feedback on one request. */
export function feedbackList(items: readonly Feedback[]) {
  if (items.length === 0) return element('p', { class: 'hint' }, 'None');
  const rows = items.map((one) => [
    one.author ?? 'master key',
    thumbOf(one),
    one.score === null ? '' : short(one.score),
    one.label ?? '',
    one.text ?? '',
    one.expected_output ?? '',
  ]);
  const columns = ['Author', 'Thumb', 'Score', 'Label', 'Comment', 'Expected output'];
  return scrollable('Feedback on the request', table('Feedback on the request', columns, rows, 'data'));
}
