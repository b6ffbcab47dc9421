import type { Command, CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { alertText } from '../alerts/alert-message.ts';
import { alertView } from '../api/views/records.ts';
import { readFlagsAndEnv } from '../config/flags-and-env.ts';
import { STORE_OPTIONS } from '../config/options.ts';
import { ALERT_STATES } from '../shared/record-words.ts';
import { formatTime, orDash, printResult } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const listAlertsCommand = storeCommand({
  summary: 'List budget alerts, newest first.',
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

/** `alerts test` sends a message from this process, so the gateway does not have to be running. */
const testAlertsCommand: Command = {
  summary: 'Send a signed test message to the alert webhook.',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    exactly(invocation);
    const json = invocation.flag('json');
    // Imported after parsing, because neither the help nor command-line errors need the configuration or the
    // network.
    const { readGatewayConfig } = await import('../config/read-config.ts');
    const { sendTestAlert } = await import('../alerts/alert-delivery.ts');
    const flagsAndEnv = readFlagsAndEnv(invocation, STORE_OPTIONS, process.env);
    const { alerts } = await readGatewayConfig(flagsAndEnv, process.env, { only: ['alerts'] });
    const sent = await sendTestAlert(alerts?.webhook, Date.now());
    printResult({ output, json }, { ...sent }, `Sent ${sent.id} to ${sent.to}: HTTP ${sent.status}.`);
    return 0;
  },
};

export const ALERT_COMMANDS: CommandGroup = {
  summary: 'Show budget alerts, and test their webhook.',
  commands: { list: listAlertsCommand, test: testAlertsCommand },
};
