import type { GatewaySection } from '../parts/section.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { dateTime, short } from '#serve/http/pages/browser/format.ts';
import { pagesOf } from '../parts/lists.ts';

/** The members of a guardrail hit that the table shows. */
interface Hit {
  readonly at: string;
  readonly mode: 'block' | 'monitor';
  readonly score: number | null;
}

export const GUARDRAILS: readonly GatewaySection[] = [
  {
    path: 'guardrails',
    name: 'Guardrail hits',
    group: 'Manage',
    readers: true,
    show({ root, session }) {
      root.append(
        dataTable({
          caption: 'Guardrail hits',
          columns: [
            { key: 'at', title: 'Time', cell: (row) => dateTime(row.at) },
            { key: 'profile', title: 'Guardrail' },
            {
              key: 'mode',
              title: 'Result',
              cell: (row) =>
                row.mode === 'block' ? badge('blocked', 'alarm') : badge('monitored', 'warning'),
            },
            { key: 'place', title: 'In' },
            { key: 'score', title: 'Score', numeric: true, cell: (row) => short(row.score) },
            { key: 'explanation', title: 'Explanation' },
            { key: 'user_id', title: 'User' },
            { key: 'model', title: 'Model' },
            { key: 'request_id', title: 'Request' },
          ],
          filters: [
            { key: 'mode', title: 'Mode', kind: 'choice', choices: ['block', 'monitor'] },
            { key: 'profile', title: 'Guardrail', kind: 'text' },
            { key: 'user_id', title: 'User', kind: 'text' },
            { key: 'from', title: 'From', kind: 'date' },
            { key: 'to', title: 'Before', kind: 'date' },
          ],
          load: pagesOf<Hit>(session, 'v1/guardrail-hits'),
          empty: 'No texts were flagged. Guardrails are configured in the configuration file.',
        }),
      );
    },
  },
];
