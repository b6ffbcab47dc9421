import { Args } from '@oclif/core';
import type { VerifyResult } from '../services/verify/result.ts';
import { BaseCommand } from './base-command.ts';

export class Verify extends BaseCommand {
  static override summary = 'Verify the checksums of a model executable or base runtime.';
  static override examples = ['<%= config.bin %> verify sentiment.encoder'];
  static override args = {
    file: Args.string({ required: true, description: 'Model executable or base runtime, for any platform' }),
  };

  async run(): Promise<VerifyResult> {
    const { args, flags } = await this.parse(Verify);
    const { verify } = await import('../services/verify/index.ts');
    const { verifyError, verifySummary } = await import('../services/verify/result.ts');
    const result = await verify(args.file, this.reporter(flags.quiet));
    if (!flags.quiet) this.log(verifySummary(result));
    const error = verifyError(result);
    return error ? this.fail(error, result) : result;
  }
}
