import type { Static } from 'typebox';
import type { alert, testedAlert } from '#gateway/api/alerts.ts';
import type { GatewaySection } from '../parts/section.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { counted, dateTime, money } from '#serve/http/pages/browser/format.ts';
import { actionButton, actions } from '../parts/edit.ts';
import { pagesOf } from '../parts/lists.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

type Alert = Static<typeof alert>;

const STATES = ['pending', 'sent', 'failed'];

export const ALERTS: readonly GatewaySection[] = [
  {
    path: 'alerts',
    name: 'Alerts',
    group: 'Manage',
    readers: true,
    show({ root, session }) {
      const test = async () => {
        const content = await session
          .call<Static<typeof testedAlert>>('v1/alerts/test', { method: 'POST' })
          .then(
            ({ data }) => `The webhook at ${data.to} accepted the test with status ${data.status}.`,
            (error) => {
              if (!(error instanceof ServerError)) throw error;
              return errorNotice(error);
            },
          );
        openDialog({ title: 'Webhook test', content, actions: [{ name: 'Close' }] });
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
          load: pagesOf<Alert>(session, 'v1/alerts'),
          empty:
            'No alerts. Alerts are raised when a budget reaches a threshold or, if configured, will be exhausted (see the alerts setting).',
        }),
      );
    },
  },
];

const stateOf = ({ state, attempts }: Alert) =>
  badge(
    state === 'sent'
      ? 'sent'
      : `${state === 'failed' ? 'failed' : 'pending'} after ${counted(attempts, 'attempt')}`,
    state === 'sent' ? 'good' : state === 'failed' ? 'alarm' : 'warning',
  );
