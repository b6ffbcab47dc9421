/** @import { Place } from './start-app.js' */
import { dataTable } from './components/data-table.js';
import { openDialog } from './components/dialog.js';
import { badge } from './components/facts.js';
import { element } from './dom.js';
import { count, dateTime, duration } from './format.js';
import { jsonBlock } from './results/content.js';
import { admin } from './shared/api.js';

/**
 * The calls in the audit log, the newest first.
 * @param {Place} place
 */
export function showAudit({ root, session }) {
  const words = element('p', { class: 'state' }, 'There are no calls in the audit log.');
  root.append(
    dataTable({
      caption: 'Calls',
      filters: [
        { key: 'q', title: 'Search', kind: 'text' },
        { key: 'server', title: 'Server', kind: 'text' },
        { key: 'caller', title: 'Key', kind: 'text' },
        { key: 'kind', title: 'Kind', kind: 'choice', choices: ['tool', 'prompt', 'resource'] },
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
          cell: ({ outcome }) => badge(String(outcome), outcome === 'ok' ? 'good' : 'alarm'),
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
        const { data } = await session.call(admin('audit'), { query: { ...filters, cursor, limit }, signal });
        if (!data.enabled)
          words.textContent = 'Calls are not audited. Start the manager with --audit-log <file>.';
        return { rows: data.entries, next: data.nextCursor };
      },
      empty: words,
    }),
  );
}

/** @param {any} entry */
function opener(entry) {
  const node = element('button', { type: 'button', class: 'link' }, dateTime(entry.at));
  node.addEventListener('click', () =>
    openDialog({
      title: 'Call',
      wide: true,
      content: jsonBlock(entry, 'Entry of the audit log'),
      actions: [{ name: 'Close', kind: 'quiet' }],
    }),
  );
  return node;
}
