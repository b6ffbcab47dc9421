import { Args, Flags } from '@oclif/core';
import type { CacheRemoveResult } from '../../services/cache/result.ts';
import { BaseCommand } from '../base-command.ts';
import { executableCacheFlag } from '../flags.ts';

export class CacheRemove extends BaseCommand {
  static override summary = 'Remove executables from the cache. Downloaded models and base runtimes stay.';
  static override examples = [
    '<%= config.bin %> cache remove sentiment',
    '<%= config.bin %> cache remove --all',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'Name of the model, as `cache list` shows it' }),
  };
  static override flags = {
    all: Flags.boolean({ summary: 'Remove all executables' }),
    'cache-dir': executableCacheFlag,
  };

  async run(): Promise<CacheRemoveResult> {
    const { args, flags } = await this.parse(CacheRemove);
    const { name } = args;
    if (flags.all && name !== undefined)
      return this.error('A name and --all cannot be combined; pass one of them');
    if (!flags.all && !name) return this.error('Pass the name of a model, or --all');
    const { removeFromCache } = await import('../../services/cache/remove.ts');
    const { cacheRemoveText } = await import('../../services/cache/result.ts');
    const result = await removeFromCache(name === undefined ? [] : [name], flags['cache-dir']);
    if (!flags.quiet) this.log(cacheRemoveText(result));
    return result;
  }
}
