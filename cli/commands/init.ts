import { Args, Flags } from '@oclif/core';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import type { InitResult } from '../services/init/result.ts';
import { BaseCommand } from './base-command.ts';
import { forceFlag, offlineFlag } from './flags.ts';

export class Init extends BaseCommand {
  static override summary = 'Write a commented config file for a model folder.';
  static override examples = [
    '<%= config.bin %> init ./model',
    '<%= config.bin %> init hf:org/name',
    '<%= config.bin %> init ./model -o sentiment.yml --name sentiment',
  ];
  static override args = {
    folder: Args.string({
      description:
        'Model folder, or a Hugging Face Hub model such as hf:org/name (default: the current directory)',
      default: '.',
    }),
  };
  static override flags = {
    'output-path': Flags.string({
      char: 'o',
      summary: 'Output file',
      default: 'encoderfile.yml',
      helpValue: '<file>',
    }),
    name: Flags.string({
      summary: 'Model name (default: derived from the model files or the folder)',
      helpValue: '<name>',
    }),
    'model-type': Flags.option({
      summary: 'Model type (default: detected from config.json)',
      options: MODEL_TYPE_NAMES,
      helpValue: '<type>',
    })(),
    offline: offlineFlag,
    force: forceFlag,
  };

  async run(): Promise<InitResult> {
    const { args, flags } = await this.parse(Init);
    const { init } = await import('../services/init/index.ts');
    const { initSummary } = await import('../services/init/result.ts');
    const request = {
      folder: args.folder,
      outputPath: flags['output-path'],
      name: flags.name,
      modelType: flags['model-type'],
      overwrite: flags.force,
      offline: flags.offline,
    };
    const result = await init(request, this.reporter(flags.quiet));
    if (!flags.quiet) this.log(initSummary(result));
    return result;
  }
}
