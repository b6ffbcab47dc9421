import type { Command } from '#serve/cli/command.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { exactly } from '#serve/cli/positionals.ts';

/** `logs`: prints a server's stderr, with the manager's messages about it. */
export const logsCommand: Command = {
  summary: "Print a server's log; -f follows it.",
  positionals: '<server>',
  options: {
    follow: { short: 'f', help: 'Print new lines as they are written' },
    lines: { short: 'n', value: 'count', help: 'Number of existing lines to print', fallback: '100' },
    ...JSON_OPTION,
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const lines = requiredNumber(invocation, 'lines', { min: 0, max: 100_000 });
    const options = { server, lines, json: isJson(invocation) };
    const { printLogsAsWritten: followLogs, showLogs } = await import('../client/show-logs.ts');
    return withManager(invocation, (manager) =>
      invocation.flag('follow') ? followLogs(manager, options, output) : showLogs(manager, options, output),
    );
  },
};
