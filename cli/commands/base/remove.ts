import { Args, Flags } from '@oclif/core';
import type { BaseRemoveResult } from '../../services/base/result.ts';
import { BaseCommand } from '../base-command.ts';
import { cacheDirFlag } from '../flags.ts';

export class BaseRemove extends BaseCommand {
  static override summary = 'Remove cached base runtimes.';
  static override examples = [
    '<%= config.bin %> base remove linux-arm64',
    '<%= config.bin %> base remove --runtime-version 0.1.0',
    '<%= config.bin %> base remove --all',
  ];
  static override args = {
    platform: Args.string({ description: 'Remove only base runtimes for this platform' }),
  };
  static override flags = {
    'runtime-version': Flags.string({
      summary: 'Remove only base runtimes of this version',
      helpValue: '<version>',
    }),
    all: Flags.boolean({
      summary: 'Remove all base runtimes and all downloaded Node binaries',
      exclusive: ['runtime-version'],
    }),
    'cache-dir': cacheDirFlag,
  };

  async run(): Promise<BaseRemoveResult> {
    const { args, flags } = await this.parse(BaseRemove);
    const { platform } = args;
    const { 'runtime-version': version, all } = flags;
    if (all && platform !== undefined)
      return this.error('A platform and --all cannot be combined; pass one of them');
    if (!all && platform === undefined && version === undefined)
      return this.error('Pass a platform, --runtime-version or --all');
    const { removeBases } = await import('../../services/base/remove.ts');
    const { baseRemoveText } = await import('../../services/base/result.ts');
    const result = await removeBases({ platform, version, nodeBinaries: all, cacheDir: flags['cache-dir'] });
    if (!flags.quiet) this.log(baseRemoveText(result));
    return result;
  }
}
