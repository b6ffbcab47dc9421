import type { ValidateResult } from '../services/validate/result.ts';
import { BaseCommand } from './base-command.ts';
import { cacheDirFlag, configFlag } from './flags.ts';

export class Validate extends BaseCommand {
  static override summary = 'Validate a config file and its model without building.';
  static override examples = ['<%= config.bin %> validate -f encoderfile.yml'];
  static override flags = { config: configFlag, 'cache-dir': cacheDirFlag };

  async run(): Promise<ValidateResult> {
    const { flags } = await this.parse(Validate);
    const { validate } = await import('../services/validate/index.ts');
    const { validateSummary } = await import('../services/validate/result.ts');
    const result = await validate(flags.config, flags['cache-dir'], this.reporter(flags.quiet));
    if (!flags.quiet) this.log(validateSummary(result));
    return result;
  }
}
