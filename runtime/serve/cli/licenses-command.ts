import { configError } from '../../contract/errors.ts';
import type { Command } from './command.ts';
import { JSON_OPTION } from './output-format.ts';
import { printJson } from './print.ts';

/** The `licenses` command, also available as `--licenses`; `target` is the name of the program in the builder. */
export const licensesCommand = (target: 'encoder' | 'manager' | 'gateway'): Command => ({
  summary: 'Print the licenses of the bundled software.',
  options: JSON_OPTION,
  async run(invocation, output) {
    const { readNotices } = await import('../../platform/notices.ts');
    const notices = await readNotices();
    if (notices === undefined) {
      throw configError(
        'This program runs from source; only executables contain the licenses of the software they bundle. ' +
          `Run \`encoderfile licenses ${target}\`.`,
      );
    }
    if (invocation.flag('json')) printJson(output, { program: target, notices });
    else output.out(notices);
    return 0;
  },
});
