/** @import { GatewaySection } from '../sections.js' */
import { dataTable } from '../components/data-table.js';
import { openDialog } from '../components/dialog.js';
import { badge } from '../components/facts.js';
import { counted } from '../counted.js';
import { dateTime, money } from '../format.js';
import { actionButton, actions } from '../parts/actions.js';
import { pagesOf } from '../parts/lists.js';
import { errorNotice } from '../notice.js';
import { ServerError } from '../server.js';

const STATES = ['pending', 'sent', 'failed'];

/** @type {readonly GatewaySection[]} */
export const ALERTS = [
  {
    path: 'alerts',
    name: 'Alerts',
    group: 'Manage',
    readers: true,
    show({ root, session }) {
      const test = async () => {
        const content = await session.call('v1/alerts/test', { method: 'POST' }).then(
          ({ data }) => `The webhook at ${data.to} accepted the test with status ${data.status}.`,
          (error) => {
            if (!(error instanceof ServerError)) throw error;
            return errorNotice(error);
          },
        );
        openDialog({ title: 'Test of the webhook', content, actions: [{ name: 'Close' }] });
      };
      root.append(
        actions(actionButton('Send a test', test)),
        dataTable({
          caption: 'Alerts',
          columns: [
            { key: 'created_at', title: 'Time', cell: (row) => dateTime(row.created_at) },
            { key: 'message', title: 'Alert' },
            { key: 'spend', title: 'Spend', numeric: true, cell: (row) => money(row.spend) },
            { key: 'max_budget', title: 'Budget', numeric: true, cell: (row) => money(row.max_budget) },
            { key: 'state', title: 'Delivery', cell: stateOf },
            { key: 'problem', title: 'Problem', cell: (row) => row.problem ?? '' },
          ],
          filters: [{ key: 'state', title: 'Delivery', kind: 'choice', choices: STATES }],
          load: pagesOf(session, 'v1/alerts'),
          empty: 'No alerts. They are raised when a budget reaches a threshold, see the setting alerts.',
        }),
      );
    },
  },
];

/** @param {any} alert */
const stateOf = ({ state, attempts }) =>
  badge(
    state === 'sent'
      ? 'sent'
      : `${state === 'failed' ? 'failed' : 'pending'} after ${counted(attempts, 'attempt')}`,
    state === 'sent' ? 'good' : state === 'failed' ? 'alarm' : 'warning',
  );
