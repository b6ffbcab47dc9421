import { Command, Errors, Flags } from '@oclif/core';
import { AppError } from '../../runtime/contract/errors.ts';
import { reporterFor } from '../services/terminal-reporter.ts';

/** What all commands share: --json, --quiet, progress on stderr, and errors as one sentence with exit code 1 (2: usage). */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags = {
    quiet: Flags.boolean({ char: 'q', summary: 'Say nothing but errors and --json', helpGroup: 'GLOBAL' }),
  };

  protected reporter(quiet: boolean): ReturnType<typeof reporterFor> {
    return reporterFor(quiet || this.jsonEnabled());
  }

  protected override catch(error: Error): Promise<void> {
    // Usage errors are oclif's: it names the flag and the way to help.
    const usage = error instanceof Errors.CLIError;
    const known = usage ? undefined : AppError.from(error);
    const message = known?.message ?? error.message;
    if (this.jsonEnabled()) this.logJson({ error: { code: known?.code ?? 'UsageError', message } });
    else this.logToStderr(`Error: ${message}`);
    return this.exit(usage ? 2 : 1);
  }
}
