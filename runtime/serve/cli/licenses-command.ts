import { configError } from '../../contract/errors.ts';
import type { Command } from './command.ts';

/** The `licenses` command, also available as `--licenses`; `target` is the name of the program in the builder. */
export const licensesCommand = (target: 'encoder' | 'manager' | 'gateway'): Command => ({
  summary: 'Print the licenses of the bundled software.',
  options: {},
  async run(_invocation, output) {
    const { readNotices } = await import('../../platform/notices.ts');
    const notices = await readNotices();
    if (notices === undefined) {
      throw configError(
        'This program runs from source; only executables contain the licenses of the software they bundle. ' +
          `Run \`encoderfile licenses ${target}\`.`,
      );
    }
    output.out(notices);
    return 0;
  },
});
