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

/** A difference with its sign; empty without a value. */
const signed = (value: number | null, format: (value: number) => string): string =>
  value === null ? '' : `${value > 0 ? '+' : ''}${format(value)}`;

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
          { key: 'candidate', title: 'Candidate' },
          { key: 'rows', title: 'Requests', numeric: true },
          {
            key: 'message',
            title: 'Verdict',
            cell: (row) =>
              badge(
                row.problem ?? row.message,
                row.verdict === 'worse' || row.problem !== null
                  ? 'alarm'
                  : row.verdict === 'not_worse'
                    ? 'good'
                    : 'warning',
              ),
          },
          { key: 'metrics', title: 'Difference in scores', cell: scores },
          { key: 'cost', title: 'Cost per request', cell: (row) => signed(row.cost.difference, money) },
          {
            key: 'latency_p50_ms',
            title: 'Median duration',
            cell: (row) => signed(row.latency_p50_ms.difference, (value) => `${short(value)} ms`),
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
          'No shadow evaluations. Set shadow of an alias to compare its responses with those of a candidate.',
      });
      root.append(table);
    },
  },
];
