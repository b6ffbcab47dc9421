import { Command, Flags } from '@oclif/core';
import type { AppError } from '../../runtime/contract/errors.ts';
import { reporterFor } from '../services/terminal-reporter.ts';
import { writeError } from './write-error.ts';

/** What all commands share: --json, --quiet and progress on stderr. Errors go on to `bin.ts`, the one place that tells them. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags = {
    json: Flags.boolean({ summary: 'Print results and errors as JSON', helpGroup: 'GLOBAL' }),
    quiet: Flags.boolean({
      char: 'q',
      summary: 'Print only errors and requested output',
      helpGroup: 'GLOBAL',
    }),
  };

  protected reporter(quiet: boolean): ReturnType<typeof reporterFor> {
    return reporterFor(quiet || this.jsonEnabled());
  }

  /** Ends with an error that has a result to show all the same: the error stands inside it as JSON. */
  protected fail(error: AppError, result: object): never {
    writeError({ code: error.code, message: error.message }, this.jsonEnabled(), result);
    return this.exit(1);
  }

  protected override catch(error: Error): Promise<void> {
    return Promise.reject(error);
  }
}
