import { configError } from '#contract/errors.ts';
import type { Command } from './command.ts';
import { JSON_OPTION } from './output-format.ts';
import { printJson } from './terminal.ts';

/**
 * Content other than software that a program includes under its own license, such as a model: the
 * fields for JSON output, and the text to print after the notices.
 */
interface OtherLicense {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The `licenses` command, also available as `--licenses`; `target` is the name of the program in the builder. */
export const licensesCommand = (
  target: 'encoder' | 'manager' | 'gateway',
  readOther?: () => Promise<OtherLicense | undefined>,
): Command => ({
  summary: `Print the licenses of the bundled software${readOther ? ' and of the model' : ''}.`,
  options: JSON_OPTION,
  async run(invocation, output) {
    const { readNotices } = await import('#platform/notices.ts');
    const notices = await readNotices();
    if (notices === undefined) {
      throw configError(
        'This program runs from source; only executables contain the licenses of the software they bundle. ' +
          `Run \`encoderfile licenses ${target}\`.`,
      );
    }
    const other = await readOther?.();
    if (invocation.flag('json')) printJson(output, { program: target, notices, ...other?.json });
    else output.out(notices + (other?.text ?? ''));
    return 0;
  },
});
