import type { GatewaySection } from '../parts/section.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { dateTime } from '#serve/http/pages/browser/format.ts';
import { pagesOf } from '../parts/lists.ts';

interface AuditEvent {
  readonly at: string;
  readonly outcome: keyof typeof KINDS;
  readonly count: number;
  readonly actor: string;
  readonly actor_user: string | null;
  readonly actor_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
}

const KINDS = { success: 'good', failed: 'warning', refused: 'alarm' } as const;

export const AUDIT: readonly GatewaySection[] = [
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
                badge(row.count > 1 ? `${row.outcome} × ${row.count}` : row.outcome, KINDS[row.outcome]),
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
          load: pagesOf<AuditEvent>(session, 'v1/admin/audit'),
          empty: 'No events yet.',
        }),
      );
    },
  },
];

function changeOf({ before, after, reason }: AuditEvent) {
  if (before === null && after === null) return reason ?? '–';
  const text = JSON.stringify({ before, after }, null, 2);
  return element('details', {}, element('summary', {}, 'Show'), element('pre', {}, text));
}
