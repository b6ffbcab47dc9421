import { Flags } from '@oclif/core';
import { MODEL_TYPE_NAMES } from '../../../runtime/contract/model-types.ts';
import type { TransformNewResult } from '../../services/transform/new-result.ts';
import { BaseCommand } from '../base-command.ts';

export class TransformNew extends BaseCommand {
  static override summary =
    'Write a commented Lua transform to start from, and what editors need to complete it.';
  static override examples = [
    '<%= config.bin %> transform new --model-type sequence_classification',
    '<%= config.bin %> transform new --model-type sentence_embedding -o lua/pool.lua --no-stubs',
  ];
  static override flags = {
    'model-type': Flags.option({
      required: true,
      summary: 'What the model computes, as in the config',
      options: MODEL_TYPE_NAMES,
      helpValue: '<type>',
    })(),
    'output-path': Flags.string({
      char: 'o',
      summary: 'File to write',
      default: 'transform.lua',
      helpValue: '<file>',
    }),
    stubs: Flags.boolean({
      summary: 'Write encoderfile.lua beside it, from which lua-language-server knows what tensors can do',
      default: true,
      allowNo: true,
    }),
    force: Flags.boolean({ summary: 'Overwrite the file where it exists' }),
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
