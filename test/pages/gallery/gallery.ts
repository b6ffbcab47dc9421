import { button, showBasics, showStates } from './basics.ts';
import { chartSections } from './charts.ts';
import { badge, facts } from '#serve/http/pages/browser/components/facts.ts';
import { confirmAction, openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { logView } from '#serve/http/pages/browser/components/log-view.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { createSession } from '#serve/http/pages/browser/session.ts';
import { type Place, startApp } from '#serve/http/pages/browser/start-app.ts';
import { SCHEMA } from './texts.ts';

/** Every component in every state: the page that documents the design language, and that its tests open. */

const session = createSession();

interface Row {
  readonly name: string;
  readonly state: string;
  readonly cost: number;
  readonly created: string;
}

function showTable({ root }: Place) {
  root.append(
    dataTable<Row>({
      caption: 'Keys',
      columns: [
        { key: 'name', title: 'Name', sortable: true },
        { key: 'team', title: 'Team' },
        {
          key: 'state',
          title: 'State',
          cell: (row) => badge(row.state, row.state === 'active' ? 'good' : 'plain'),
        },
        {
          key: 'cost',
          title: 'Cost',
          numeric: true,
          sortable: true,
          cell: (row) => money(row.cost),
        },
        {
          key: 'created',
          title: 'Created',
          sortable: true,
          cell: (row) => dateTime(row.created),
        },
      ],
      filters: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'state', title: 'State', kind: 'choice', choices: ['active', 'revoked'] },
        { key: 'since', title: 'Created since', kind: 'date' },
      ],
      sort: '-cost',
      limit: 20,
      href: (row) => linkTo(['table', row.name]),
      load: async ({ sort, filters, cursor, limit, signal }) => {
        const { data } = await session.call<{
          readonly rows: readonly Row[];
          readonly total: number;
          readonly next?: string;
        }>('rows', { query: { sort, cursor, limit, ...filters }, signal });
        return data;
      },
    }),
  );
}

function showForm({ root }: Place) {
  const result = element('pre', {
    id: 'form-result',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Value of the form',
  });
  root.append(
    formOf<{ readonly name: string }>(SCHEMA, {
      submit: 'Create',
      onSubmit(value) {
        if (value.name === 'taken')
          throw new ServerError('The name taken is in use. Choose another one.', 409);
        result.textContent = JSON.stringify(value);
      },
    }),
    result,
  );
}

function showDialogs({ root }: Place) {
  const words = element('p', { role: 'status' });
  root.append(
    element(
      'div',
      { class: 'actions' },
      button('Open a dialog', () =>
        openDialog({
          title: 'Rename the key',
          content: element(
            'p',
            { class: 'field' },
            element('label', { for: 'new-name' }, 'Name'),
            element('input', { id: 'new-name' }),
          ),
          actions: [
            { name: 'Cancel', kind: 'quiet' },
            { name: 'Rename', run: () => void (words.textContent = 'Renamed.') },
          ],
        }),
      ),
      button(
        'Delete a key',
        async () => {
          const isDone = await confirmAction({
            title: 'Delete the key?',
            words: 'Requests with it will be rejected.',
            action: { name: 'Delete', kind: 'danger' },
          });
          words.textContent = isDone ? 'Deleted.' : 'Kept.';
        },
        'danger',
      ),
      button('An action that fails', () =>
        confirmAction({
          title: 'Delete the team?',
          words: 'It cannot be restored.',
          action: {
            name: 'Delete',
            kind: 'danger',
            run: () => {
              throw new ServerError('The team has 3 members. Remove them first.', 409);
            },
          },
        }),
      ),
      button('Call that needs a key', async () => {
        const { data } = await session.call<{ readonly words: string }>('locked');
        words.textContent = data.words;
      }),
    ),
    words,
  );
}

function showLog({ root, signal }: Place) {
  root.append(
    logView({
      name: 'Log of time',
      signal,
      async follow(stop, onLine) {
        const response = await session.open('log', { signal: stop });
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let rest = '';
        for (;;) {
          const { value, done } = (await reader?.read().catch(() => undefined)) ?? {
            value: undefined,
            done: true,
          };
          if (done) return;
          const lines = (rest + value).split('\n');
          rest = lines.pop() ?? '';
          lines.forEach(onLine);
        }
      },
    }),
  );
}

startApp({
  title: 'Design language',
  note: 'of encoderfile',
  session,
  links: [{ name: 'A link to another page', href: './' }],
  sections: [
    { path: '', name: 'Basics', show: showBasics },
    { path: 'states', name: 'States', show: showStates },
    { path: 'table', name: 'Table', group: 'Components', show: showTable },
    {
      path: 'table/:name',
      show: ({ root, params, setTitle }) => {
        setTitle(params.name ?? '');
        root.append(facts([['Name', params.name ?? '']]));
      },
    },
    ...chartSections,
    { path: 'form', name: 'Form', group: 'Components', show: showForm },
    { path: 'dialogs', name: 'Dialogs', group: 'Components', show: showDialogs },
    { path: 'log', name: 'Log', group: 'Components', show: showLog },
  ],
});
