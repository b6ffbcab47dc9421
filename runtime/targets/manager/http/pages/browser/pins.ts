import type { Static } from 'typebox';
import type { pinnedToolsBody, toolPoliciesBody } from '#manager/http/schemas/pins.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { confirmAction, openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { admin, EDIT_HINT, readCaller } from './shared/caller.ts';
import { button } from './shared/parts.ts';
import { diffView } from './configuration/review.ts';

type Policy = Static<typeof toolPoliciesBody>['servers'][number];

/** Pinned tools, approval rules and tool overrides. */
export async function showPins({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  const notice = element('div');
  const server = element('input', {
    id: 'pin-server',
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  const form = element(
    'form',
    { class: 'toolbar', 'aria-label': 'Pin tools' },
    element('label', { for: 'pin-server' }, 'Server'),
    server,
    element('button', { type: 'submit', class: 'quiet' }, 'Pin its tools'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (server.value.trim() !== '') void review(server.value.trim());
  });
  const table = dataTable({
    caption: 'Servers with rules for tools',
    filters: [
      {
        key: 'changed',
        title: 'Tools that differ',
        kind: 'choice',
        choices: [{ value: 'true', name: 'only these' }],
      },
    ],
    columns: [
      { key: 'server', title: 'Server' },
      {
        key: 'pinned',
        title: 'Pinned tools',
        numeric: true,
        cell: ({ pinned }) => (pinned === 0 ? '–' : String(pinned)),
      },
      { key: 'onChange', title: 'Changed tools are', cell: ({ onChange }) => ACTIONS[onChange ?? ''] ?? '–' },
      {
        key: 'changedTools',
        title: 'Differ now',
        cell: ({ changedTools = [], changedItems = [] }) => {
          const changes = [
            ...changedTools.map(({ tool, change }) => `${tool} (${change})`),
            ...changedItems.map(({ kind, name, change }) => `${kind} ${name} (${change})`),
          ];
          if (changes.length === 0) return '–';
          return element('span', {}, ...changes.flatMap((change) => [badge(change, 'warning'), ' ']));
        },
      },
      {
        key: 'approvals',
        title: 'Approval rules',
        cell: ({ approvals }) => listed(approvals.map(ruleText)),
      },
      {
        key: 'overrides',
        title: 'Overrides',
        cell: ({ overrides }) => listed(overrides.map(overrideText)),
      },
      ...(caller.edit
        ? [
            {
              key: 'actions',
              title: 'Actions',
              cell: (row: Policy) =>
                element(
                  'div',
                  { class: 'actions' },
                  button('Compare', () => review(row.server), 'quiet'),
                  ...(row.pinned > 0 ? [button('Unpin', () => unpin(row.server), 'danger')] : []),
                ),
            },
          ]
        : []),
    ],
    href: ({ server: name }) => linkTo(['servers', name]),
    async load({ filters, cursor, limit, signal: stop }) {
      const { data } = await session.call<Static<typeof toolPoliciesBody>>(admin('pins'), {
        query: { ...filters, cursor, limit },
        signal: stop,
      });
      return { rows: data.servers, total: data.total, next: data.nextCursor };
    },
    empty: 'No server has pinned tools, approval rules or overrides.',
  });

  /** Compares a server's tools with their pins, and pins them after the user confirms. */
  async function review(name: string) {
    notice.replaceChildren();
    try {
      const path = admin('servers', name, 'pin');
      const { data } = await session.call<Static<typeof pinnedToolsBody>>(path, {
        method: 'POST',
        query: { dry_run: true },
      });
      const dialog = openDialog({
        title: `Tools of ${name}`,
        wide: true,
        content: [
          element(
            'p',
            {},
            data.differences.length === 0
              ? `All ${data.tools} tools and other items match their pins.`
              : `The server has ${data.tools} tools. Items that differ from their pins: ${data.differences.length}.`,
          ),
          ...data.differences.flatMap(({ kind, name: item, change, lines }) => [
            element(
              'details',
              {},
              element('summary', {}, `${kind} ${item} (${change})`),
              diffView(lines.map((line) => line.trimStart()).join('\n')),
            ),
          ]),
        ],
        actions: [
          { name: 'Cancel', kind: 'quiet' },
          { name: 'Pin these tools', run: () => session.call(path, { method: 'POST' }) },
        ],
      });
      await dialog.closed;
      await table.refresh();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      notice.replaceChildren(errorNotice(error));
    }
  }

  async function unpin(name: string) {
    await confirmAction({
      title: `Unpin the tools of ${name}?`,
      words: 'Changes to these tools will no longer be reported or blocked.',
      action: {
        name: 'Unpin',
        kind: 'danger',
        run: () => session.call(admin('servers', name, 'pin'), { method: 'DELETE' }),
      },
    });
    await table.refresh();
  }

  root.append(caller.edit ? form : element('p', { class: 'hint' }, EDIT_HINT), notice, table);
}

const ACTIONS: Record<string, string> = { warn: 'reported', block: 'blocked' };

const CONDITIONS: Record<string, string> = {
  destructive: ' if destructive',
  not_read_only: ' if not read-only',
};

const ruleText = ({ tools, when, action }: Policy['approvals'][number]) =>
  `${action} ${tools.join(' ')}${CONDITIONS[when ?? ''] ?? ''}`;

const overrideText = ({ tool, rename, hidden, described }: Policy['overrides'][number]) =>
  `${tool}${rename ? ` → ${rename}` : ''}${hidden ? ', hidden' : ''}${described ? ', new description' : ''}`;
