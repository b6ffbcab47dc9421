/** @import { GatewaySection } from '../sections.js' */
import { dataTable } from '../components/data-table.js';
import { badge } from '../components/facts.js';
import { element } from '../dom.js';
import { dateTime } from '../format.js';
import { pagesOf } from '../parts/lists.js';

const KINDS = /** @type {const} */ ({ success: 'good', failed: 'warning', refused: 'alarm' });

/** @type {readonly GatewaySection[]} */
export const AUDIT = [
  {
    path: 'audit',
    name: 'Audit log',
    group: 'Manage',
    admins: true,
    show({ root, session }) {
      root.append(
        dataTable({
          caption: 'Audit log',
          columns: [
            { key: 'at', title: 'Time', cell: (row) => dateTime(row.at) },
            { key: 'action', title: 'Action' },
            { key: 'object', title: 'Object' },
            {
              key: 'outcome',
              title: 'Outcome',
              cell: (row) =>
                badge(
                  row.count > 1 ? `${row.outcome} × ${row.count}` : row.outcome,
                  KINDS[/** @type {keyof typeof KINDS} */ (row.outcome)] ?? 'plain',
                ),
            },
            {
              key: 'actor',
              title: 'Actor',
              cell: (row) => [row.actor, row.actor_user ?? row.actor_id].filter(Boolean).join(': '),
            },
            { key: 'address', title: 'Address' },
            { key: 'after', title: 'Change', cell: changeOf },
          ],
          filters: [
            { key: 'action', title: 'Action', kind: 'text' },
            { key: 'object', title: 'Object', kind: 'text' },
            { key: 'outcome', title: 'Outcome', kind: 'choice', choices: ['success', 'failed', 'refused'] },
            { key: 'from', title: 'From', kind: 'date' },
            { key: 'to', title: 'Before', kind: 'date' },
          ],
          load: pagesOf(session, 'v1/admin/audit'),
          empty: 'No events yet.',
        }),
      );
    },
  },
];

/** @param {any} event */
function changeOf({ before, after, reason }) {
  if (before === null && after === null) return reason ?? '–';
  const text = JSON.stringify({ before, after }, null, 2);
  return element('details', {}, element('summary', {}, 'Show'), element('pre', {}, text));
}
