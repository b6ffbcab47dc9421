import { button, showBasics, showStates } from './basics.js';
import { chartSections } from './charts.js';
import { badge, facts } from './components/facts.js';
import { confirmAction, openDialog } from './components/dialog.js';
import { formOf } from './components/form.js';
import { logView } from './components/log-view.js';
import { dataTable } from './components/data-table.js';
import { element } from './dom.js';
import { dateTime, money } from './format.js';
import { linkTo } from './route.js';
import { ServerError } from './server.js';
import { createSession } from './session.js';
import { startApp } from './start-app.js';
import { SCHEMA } from './texts.js';

/** Every component in every state: the page that documents the design language, and that its tests open. */

const session = createSession();

/** @param {import('./start-app.js').Place} place */
function showTable({ root }) {
  root.append(
    dataTable({
      caption: 'Keys',
      columns: [
        { key: 'name', title: 'Name', sortable: true },
        { key: 'team', title: 'Team' },
        {
          key: 'state',
          title: 'State',
          cell: (/** @type {any} */ row) => badge(row.state, row.state === 'active' ? 'good' : 'plain'),
        },
        {
          key: 'cost',
          title: 'Cost',
          numeric: true,
          sortable: true,
          cell: (/** @type {any} */ row) => money(row.cost),
        },
        {
          key: 'created',
          title: 'Created',
          sortable: true,
          cell: (/** @type {any} */ row) => dateTime(row.created),
        },
      ],
      filters: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'state', title: 'State', kind: 'choice', choices: ['active', 'revoked'] },
        { key: 'since', title: 'Created since', kind: 'date' },
      ],
      sort: '-cost',
      limit: 20,
      href: (/** @type {any} */ row) => linkTo(['table', row.name]),
      load: async ({ sort, filters, cursor, limit, signal }) => {
        const { data } = await session.call('rows', { query: { sort, cursor, limit, ...filters }, signal });
        return data;
      },
    }),
  );
}

/** @param {import('./start-app.js').Place} place */
function showForm({ root }) {
  const result = element('pre', {
    id: 'form-result',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Value of the form',
  });
  root.append(
    formOf(SCHEMA, {
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

/** @param {import('./start-app.js').Place} place */
function showDialogs({ root }) {
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
        const { data } = await session.call('locked');
        words.textContent = data.words;
      }),
    ),
    words,
  );
}

/** @param {import('./start-app.js').Place} place */
function showLog({ root, signal }) {
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
