import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { count, dateTime, duration } from '#serve/http/pages/browser/format.ts';
import { jsonBlock } from './results/content.ts';
import { admin } from './shared/caller.ts';

/** The audit log fields that the table shows. */
interface Entry {
  readonly at: string;
  readonly outcome: string;
  readonly ms?: number;
  readonly resultCharacters?: number;
}

interface AuditLog {
  readonly enabled: boolean;
  readonly lost?: number;
  readonly problem?: string;
  readonly entries: readonly Entry[];
  readonly nextCursor?: string;
}

/** The calls in the audit log, newest first. */
export function showAudit({ root, session }: Place) {
  const words = element('p', { class: 'state' }, 'The audit log contains no calls.');
  const losses = element('div');
  root.append(
    losses,
    dataTable<Entry>({
      caption: 'Calls',
      filters: [
        { key: 'q', title: 'Search', kind: 'text' },
        { key: 'server', title: 'Server', kind: 'text' },
        { key: 'caller', title: 'Key', kind: 'text' },
        { key: 'kind', title: 'Kind', kind: 'choice', choices: ['tool', 'prompt', 'resource', 'script'] },
        { key: 'outcome', title: 'Outcome', kind: 'choice', choices: ['ok', 'failed'] },
        { key: 'from', title: 'From', kind: 'date' },
        { key: 'to', title: 'Before', kind: 'date' },
      ],
      columns: [
        { key: 'at', title: 'Time', cell: (entry) => opener(entry) },
        { key: 'caller', title: 'Key' },
        { key: 'server', title: 'Server' },
        { key: 'kind', title: 'Kind' },
        { key: 'name', title: 'Name' },
        {
          key: 'outcome',
          title: 'Outcome',
          cell: ({ outcome }) => badge(outcome, outcome === 'ok' ? 'good' : 'alarm'),
        },
        { key: 'approval', title: 'Approval' },
        { key: 'ms', title: 'Duration', numeric: true, cell: ({ ms }) => duration(ms) },
        {
          key: 'resultCharacters',
          title: 'Characters',
          numeric: true,
          cell: ({ resultCharacters }) => count(resultCharacters),
        },
      ],
      async load({ filters, cursor, limit, signal }) {
        const { data } = await session.call<AuditLog>(admin('audit'), {
          query: { ...filters, cursor, limit },
          signal,
        });
        losses.replaceChildren(...lossNotices(data));
        if (!data.enabled)
          words.textContent = 'Calls are not audited. Start the manager with --audit-log <file>.';
        return { rows: data.entries, next: data.nextCursor };
      },
      empty: words,
    }),
  );
}

/** A notice about calls that are missing in the log. */
function lossNotices({ lost = 0, problem }: AuditLog) {
  const sentences = [
    ...(lost > 0 ? [`Calls missing in the log since the start of the manager: ${count(lost)}.`] : []),
    ...(problem ? [`The log cannot be written: ${problem}.`] : []),
  ];
  const words = sentences.map((sentence) => element('p', {}, sentence));
  return words.length === 0 ? [] : [element('div', { class: 'notice', role: 'alert' }, ...words)];
}

function opener(entry: Entry) {
  const node = element('button', { type: 'button', class: 'link' }, dateTime(entry.at));
  node.addEventListener('click', () =>
    openDialog({
      title: 'Call',
      wide: true,
      content: jsonBlock(entry, 'Audit log entry'),
      actions: [{ name: 'Close', kind: 'quiet' }],
    }),
  );
  return node;
}
