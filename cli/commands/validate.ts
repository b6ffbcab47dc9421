import type { ValidateResult } from '../services/validate/result.ts';
import { BaseCommand } from './base-command.ts';
import { configSource } from './config-source.ts';
import { cacheDirFlag, configFlag, folderArg, modelTypeFlag, offlineFlag, variantFlag } from './flags.ts';

export class ValidateCommand extends BaseCommand {
  static override summary = 'Validate a config file and its model without building.';
  static override examples = [
    '<%= config.bin %> validate ./model',
    '<%= config.bin %> validate -f encoderfile.yml',
    '<%= config.bin %> validate hf:org/name',
  ];
  static override args = { folder: folderArg };
  static override flags = {
    config: configFlag,
    'model-type': modelTypeFlag,
    variant: variantFlag,
    offline: offlineFlag,
    'cache-dir': cacheDirFlag,
  };

  async run(): Promise<ValidateResult> {
    const parsed = await this.parse(ValidateCommand);
    const { flags } = parsed;
    const { validate } = await import('../services/validate/index.ts');
    const { validateSummary } = await import('../services/validate/result.ts');
    const result = await validate(
      {
        source: configSource(parsed),
        variant: flags.variant,
        modelType: flags['model-type'],
        offline: flags.offline,
        cacheDir: flags['cache-dir'],
      },
      this.reporter(flags.quiet),
    );
    if (!flags.quiet) this.log(validateSummary(result));
    return result;
  }
}
