import { Flags } from '@oclif/core';
import { TRANSFORM_TYPES } from '#contract/model-types.ts';
import type { TransformNewResult } from '../../services/transform/new-result.ts';
import { BaseCommand } from '../base-command.ts';
import { forceFlag } from '../flags.ts';

export class TransformNew extends BaseCommand {
  static override summary = 'Create a commented Lua transform, with type stubs for editors.';
  static override examples = [
    '<%= config.bin %> transform new --model-type sequence_classification',
    '<%= config.bin %> transform new --model-type sentence_embedding -o lua/pool.lua --no-stubs',
  ];
  static override flags = {
    'model-type': Flags.option({
      required: true,
      summary: 'Model type, as in the config',
      options: TRANSFORM_TYPES,
      helpValue: '<type>',
    })(),
    'output-path': Flags.string({
      char: 'o',
      summary: 'Output file',
      default: 'transform.lua',
      helpValue: '<file>',
    }),
    stubs: Flags.boolean({
      summary: 'Also write encoderfile.lua, the type stubs for lua-language-server',
      default: true,
      allowNo: true,
    }),
    force: forceFlag,
  };

  async run(): Promise<TransformNewResult> {
    const { flags } = await this.parse(TransformNew);
    const { newTransform } = await import('../../services/transform/new.ts');
    const { transformNewSummary } = await import('../../services/transform/new-result.ts');
    const result = await newTransform({
      modelType: flags['model-type'],
      outputPath: flags['output-path'],
      overwrite: flags.force,
      stubs: flags.stubs,
    });
    if (!flags.quiet) this.log(transformNewSummary(result));
    return result;
  }
}
