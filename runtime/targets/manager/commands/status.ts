import { type Command, UsageError } from '#serve/cli/command.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `status`: prints the server table, once or repeatedly. */
export const statusCommand: Command = {
  summary: 'Show the status of each server of the running manager.',
  options: {
    watch: { short: 'w', help: 'Refresh the table until interrupted' },
    interval: { value: 'seconds', help: 'Refresh interval of --watch', fallback: '1' },
    ...JSON_OPTION,
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const everyMilliseconds = 1000 * requiredNumber(invocation, 'interval', { min: 1, max: 3600 });
    const json = isJson(invocation);
    const watch = invocation.flag('watch');
    if (watch && json)
      throw new UsageError('--watch conflicts with --json and --format json; use one of them.');
    const { followStatus, showStatus } = await import('../client/show-status.ts');
    return withManager(invocation, (manager) =>
      watch ? followStatus(manager, { everyMilliseconds }, output) : showStatus(manager, { json }, output),
    );
  },
};
