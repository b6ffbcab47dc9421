/** @import { GatewaySection } from '../sections.js' */
import { dataTable } from '../components/data-table.js';
import { badge } from '../components/facts.js';
import { dateTime, short } from '../format.js';
import { pagesOf } from '../parts/lists.js';

/** @type {readonly GatewaySection[]} */
export const GUARDRAILS = [
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
          load: pagesOf(session, 'v1/guardrail-hits'),
          empty: 'No text was flagged. Guardrails are set in the configuration file.',
        }),
      );
    },
  },
];
