import { Args } from '@oclif/core';
import type { PullResult } from '../services/pull/result.ts';
import { BaseCommand } from './base-command.ts';
import { offlineFlag, variantFlag } from './flags.ts';

export class Pull extends BaseCommand {
  static override summary =
    'Download a model from the Hugging Face Hub to the cache shared with other tools.';
  static override examples = [
    '<%= config.bin %> pull hf:org/name',
    '<%= config.bin %> pull hf:org/name@v1.0 --variant fp16',
    'cd "$(<%= config.bin %> pull hf:org/name --quiet)"',
  ];
  static override args = {
    reference: Args.string({
      required: true,
      description: 'Model, e.g. hf:org/name or hf:org/name@revision',
    }),
  };
  static override flags = { variant: variantFlag, offline: offlineFlag };

  async run(): Promise<PullResult> {
    const { args, flags } = await this.parse(Pull);
    const { pull } = await import('../services/pull/index.ts');
    const { pullSummary } = await import('../services/pull/result.ts');
    const { variant, offline, quiet } = flags;
    const result = await pull(args.reference, { variant, offline, report: this.reporter(quiet) });
    // With --quiet, only the path of the folder is printed, because it is the result of the command.
    this.log(quiet ? result.folder : pullSummary(result));
    return result;
  }
}
