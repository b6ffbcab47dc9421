import { Args, Flags } from '@oclif/core';
import { MODEL_TYPE_NAMES } from '../../runtime/contract/model-types.ts';
import type { InitResult } from '../services/init/result.ts';
import { BaseCommand } from './base-command.ts';

export class Init extends BaseCommand {
  static override summary = 'Write a commented config file for the model in a folder.';
  static override examples = [
    '<%= config.bin %> init ./model',
    '<%= config.bin %> init ./model -o sentiment.yml --name sentiment',
  ];
  static override args = {
    folder: Args.string({
      description: 'Folder of the model (default: the current directory)',
      default: '.',
    }),
  };
  static override flags = {
    'output-path': Flags.string({
      char: 'o',
      summary: 'File to write',
      default: 'encoderfile.yml',
      helpValue: '<file>',
    }),
    name: Flags.string({
      summary: 'Identifier of the model (default: what the folder says)',
      helpValue: '<name>',
    }),
    'model-type': Flags.option({
      summary: "What the model computes (default: what the model's config.json says)",
      options: MODEL_TYPE_NAMES,
      helpValue: '<type>',
    })(),
    force: Flags.boolean({ summary: 'Overwrite the file where it exists' }),
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
    };
    const result = await init(request, this.reporter(flags.quiet));
    if (!flags.quiet) this.log(initSummary(result));
    return result;
  }
}
