import { type Command, UsageError } from '../../../serve/cli/command.ts';
import { requiredNumber } from '../../../serve/cli/values.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `status`: a table of the servers, once or for as long as it is wanted. */
export const statusCommand: Command = {
  summary: 'Show how each server of the running manager is doing.',
  options: {
    watch: { short: 'w', help: 'Show it again and again; on a terminal in one place' },
    interval: { value: 'seconds', help: 'How often, with --watch', fallback: '1' },
    ...TEXT_OR_JSON,
    ...CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const everyMilliseconds = 1000 * requiredNumber(invocation, 'interval', { min: 1, max: 3600 });
    const json = isJson(invocation);
    const watch = invocation.flag('watch');
    if (watch && json)
      throw new UsageError('--watch shows a table; leave out either --watch or --format json.');
    const { keepShowingStatus, showStatus } = await import('../client/show-status.ts');
    return withManager(invocation, (manager) =>
      watch
        ? keepShowingStatus(manager, { everyMilliseconds }, output)
        : showStatus(manager, { json }, output),
    );
  },
};
