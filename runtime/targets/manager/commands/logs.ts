import type { Command } from '../../../serve/cli/command.ts';
import { requiredNumber } from '../../../serve/cli/values.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { CLIENT_OPTIONS, withManager } from './client-options.ts';
import { exactly } from '../../../serve/cli/positionals.ts';

/** `logs`: what a server wrote to its stderr, and what the manager says about it. */
export const logsCommand: Command = {
  summary: 'Print the last lines of a server’s log, and go on with -f.',
  positionals: '<server>',
  options: {
    follow: { short: 'f', help: 'Go on with lines as they come' },
    lines: { short: 'n', value: 'count', help: 'How many lines from before', fallback: '100' },
    ...TEXT_OR_JSON,
    ...CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, 'the server');
    const lines = requiredNumber(invocation, 'lines', { min: 0, max: 100_000 });
    const options = { server, lines, json: isJson(invocation) };
    const { followLogs, showLogs } = await import('../client/show-logs.ts');
    return withManager(invocation, (manager) =>
      invocation.flag('follow') ? followLogs(manager, options, output) : showLogs(manager, options, output),
    );
  },
};
