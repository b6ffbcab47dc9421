import { Args } from '@oclif/core';
import type { TransformTestJson } from '../../services/transform/test-result.ts';
import { BaseCommand } from '../base-command.ts';
import { configSource } from '../config-source.ts';
import { cacheDirFlag, configFlag, offlineFlag, variantFlag } from '../flags.ts';

export class TransformTest extends BaseCommand {
  static override summary = 'Run a model on texts and show the transform output.';
  static override examples = [
    '<%= config.bin %> transform test -f encoderfile.yml "some text"',
    '<%= config.bin %> transform test -f encoderfile.yml --json "some text" "another text"',
  ];
  static override args = {
    text: Args.string({ required: true, multiple: true, description: 'Texts; each one is run separately' }),
  };
  static override flags = {
    config: configFlag,
    variant: variantFlag,
    offline: offlineFlag,
    'cache-dir': cacheDirFlag,
  };

  async run(): Promise<TransformTestJson> {
    const { args, flags, raw } = await this.parse(TransformTest);
    const { testTransform } = await import('../../services/transform/test.ts');
    const { transformTestJson, transformTestText } = await import('../../services/transform/test-result.ts');
    const request = {
      source: configSource({ flags, args: {}, raw }),
      variant: flags.variant,
      offline: flags.offline,
      cacheDir: flags['cache-dir'],
      texts: args.text,
    };
    const result = await testTransform(request, this.reporter(flags.quiet));
    this.log(transformTestText(result));
    return transformTestJson(result);
  }
}
