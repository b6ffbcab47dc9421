import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { alertText } from '../../alerts/alert-message.ts';
import { ALERT_STATES } from '../../alerts/alert-states.ts';
import { formatTime, orDash } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const listAlertsCommand = storeCommand({
  summary: 'List alerts about budgets, newest first.',
  options: {
    state: { value: 'state', help: 'Only alerts in this state', choices: ALERT_STATES },
    ...commonOptions({ limit: { fallback: '20' } }),
  },
  prepare(invocation) {
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const state = ALERT_STATES.find((known) => known === invocation.value('state'));
    return async ({ state: { alerts }, output, json }) => {
      const found = await alerts.list({ skip: 0, limit }, state);
      if (json) {
        const { alertView } = await import('../../api/alerts.ts');
        return printJson(output, found.map(alertView));
      }
      if (found.length === 0) return output.err('There are no alerts.\n');
      const rows = found.map((alert) => [
        formatTime(alert.created_at),
        alert.state,
        String(alert.attempts),
        alertText(alert),
        orDash(alert.problem),
      ]);
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const COLUMNS = ['TIME', 'STATE', 'ATTEMPTS', 'ALERT', 'PROBLEM'];
