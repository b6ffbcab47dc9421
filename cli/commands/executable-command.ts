import { Args, Flags } from '@oclif/core';
import type { ExecutableRequest } from '../services/executables/provide.ts';
import { BaseCommand } from './base-command.ts';
import { executableCacheFlag, modelTypeFlag, offlineFlag, quantizeFlag, variantFlag } from './flags.ts';
import { COMMON_FLAGS } from '#core/cli/common-flags.ts';
import { splitWords } from './split-words.ts';

/** The flags of the commands that start an executable. All other flags are passed to it. @internal */
export const EXECUTABLE_FLAGS = {
  'model-type': modelTypeFlag,
  variant: variantFlag,
  quantize: quantizeFlag,
  offline: offlineFlag,
  'cache-dir': executableCacheFlag,
};

/** The parsed command line of a command that starts an executable. */
interface Started {
  readonly request: ExecutableRequest;
  /** The words for the executable. */
  readonly passed: readonly string[];
  readonly quiet: boolean;
}

/**
 * Base class of the commands that build a model into the cache and start it. The executable prints
 * the result, also with --json.
 */
export abstract class ExecutableCommand extends BaseCommand {
  static override enableJsonFlag = false;
  static override flags = EXECUTABLE_FLAGS;
  static override baseFlags = {
    ...BaseCommand.baseFlags,
    json: Flags.boolean({ summary: COMMON_FLAGS.json.help, helpGroup: 'GLOBAL' }),
  };
  static override args = {
    model: Args.string({
      required: true,
      ignoreStdin: true,
      description:
        'Folder with a model or an encoderfile.yml, or a Hugging Face Hub model such as hf:org/name',
    }),
  };

  protected async started(): Promise<Started> {
    const known = { ...ExecutableCommand.baseFlags, ...EXECUTABLE_FLAGS };
    const { own, passed } = splitWords(this.argv, known);
    const { args, flags } = await this.parse(
      { args: ExecutableCommand.args, flags: EXECUTABLE_FLAGS, baseFlags: ExecutableCommand.baseFlags },
      [...own],
    );
    return {
      request: {
        model: args.model,
        modelType: flags['model-type'],
        variant: flags.variant,
        quantize: flags.quantize,
        offline: flags.offline,
        cacheDir: flags['cache-dir'],
      },
      passed,
      quiet: flags.quiet || flags.json,
    };
  }
}
