import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { shadowEvaluation } from '#gateway/api/shadow-schemas.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { money, short } from '#serve/http/pages/browser/format.ts';
import { confirmedButton } from '../parts/edit.ts';
import { pagesOf } from '../parts/lists.ts';
import type { GatewaySection } from '../parts/section.ts';

type Evaluation = Static<typeof shadowEvaluation>;

/** A number with its sign. */
const signed = (value: number, format: (value: number) => string): string =>
  `${value > 0 ? '+' : ''}${format(value)}`;

/** A difference with its interval, if there is one; empty without a value. */
function difference(
  { difference: value, lower, upper }: Evaluation['cost'],
  format: (value: number) => string,
): string {
  if (value === null) return '';
  const interval =
    lower === null || upper === null ? '' : ` (${signed(lower, format)} to ${signed(upper, format)})`;
  return `${signed(value, format)}${interval}`;
}

const MODES = { shadow: 'Shadow', ab: 'A/B test' } as const;

/** The number of requests or, in an A/B test, of users of both models. */
const amount = ({ rows, users }: Evaluation): string =>
  users ? `${rows} (${users.baseline} and ${users.candidate} users, ${users.waiting} waiting)` : String(rows);

const TONES = { not_worse: 'good', worse: 'alarm', undecided: 'warning' } as const;

const scores = ({ metrics }: Evaluation): string =>
  metrics
    .filter(({ rows }) => rows > 0)
    .map(
      ({ name, difference, lower, upper }) =>
        `${name} ${short(difference)} (${short(lower)} to ${short(upper)})`,
    )
    .join('; ');

export const SHADOW: readonly GatewaySection[] = [
  {
    path: 'shadow',
    name: 'Shadow evaluations',
    group: 'Manage',
    readers: true,
    async show({ root, session, signal }) {
      const { data: caller } = await session.call<Static<typeof me>>('v1/me', { signal });
      const canPromote = caller.role === 'admin' && caller.scope !== 'models';
      const promotion = ({ alias, candidate, message, verdict }: Evaluation): HTMLElement =>
        confirmedButton('Promote', {
          title: `Promote ${candidate}?`,
          words: `The verdict is: ${message}. The candidate becomes the only target of ${alias}, and the evaluation ends.`,
          run: () =>
            session.call('v1/shadow/promote', {
              method: 'POST',
              body: { alias, force: verdict !== 'not_worse' },
            }),
          done: (): unknown => table.refresh(),
        });
      const table: ReturnType<typeof dataTable> = dataTable({
        caption: 'Shadow evaluations',
        columns: [
          { key: 'alias', title: 'Alias', cell: (row) => (row.current ? row.alias : `${row.alias} (ended)`) },
          { key: 'mode', title: 'Mode', cell: (row) => MODES[row.mode] },
          { key: 'candidate', title: 'Candidate' },
          { key: 'rows', title: 'Requests', numeric: true, cell: amount },
          {
            key: 'message',
            title: 'Verdict',
            cell: (row) =>
              badge(row.problem ?? row.message, row.problem === null ? TONES[row.verdict] : 'alarm'),
          },
          { key: 'metrics', title: 'Difference in scores', cell: scores },
          { key: 'cost', title: 'Cost per request', cell: (row) => difference(row.cost, money) },
          {
            key: 'latency_p50_ms',
            title: 'Median duration',
            cell: (row) => difference(row.latency_p50_ms, (value) => `${short(value)} ms`),
          },
          ...(canPromote
            ? [
                {
                  key: 'promote',
                  title: 'Promotion',
                  cell: (row: Evaluation) => (row.current ? promotion(row) : ''),
                },
              ]
            : []),
        ],
        load: pagesOf<Evaluation>(session, 'v1/shadow'),
        empty:
          'No evaluations. Set shadow of an alias to compare its responses with those of a candidate, or ab for an A/B test.',
      });
      root.append(table);
    },
  },
];
