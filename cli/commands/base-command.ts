import { Command, Flags } from '@oclif/core';
import type { AppError } from '#contract/errors.ts';
import { COMMON_FLAGS } from '#core/cli/common-flags.ts';
import { reporterFor } from '../services/terminal-reporter.ts';
import { writeError } from './write-error.ts';

/**
 * Base class of all commands, with --json, --quiet and progress on stderr. Errors propagate to
 * `bin.ts`, the only place that prints them.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags = {
    json: Flags.boolean({ summary: COMMON_FLAGS.json.help, helpGroup: 'GLOBAL' }),
    quiet: Flags.boolean({
      char: 'q',
      summary: 'Print only errors and requested output',
      helpGroup: 'GLOBAL',
    }),
  };

  protected reporter(quiet: boolean): ReturnType<typeof reporterFor> {
    return reporterFor(quiet || this.jsonEnabled());
  }

  /**
   * Prints an error together with the command's result, and exits with status 1. With --json, one
   * document contains both.
   */
  protected fail(error: AppError, result: object): never {
    writeError({ code: error.code, message: error.message }, this.jsonEnabled(), result);
    return this.exit(1);
  }

  protected override catch(error: Error): Promise<void> {
    return Promise.reject(error);
  }
}
