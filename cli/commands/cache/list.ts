import type { CacheListResult } from '../../services/cache/result.ts';
import { BaseCommand } from '../base-command.ts';
import { executableCacheFlag } from '../flags.ts';

export class CacheList extends BaseCommand {
  static override summary = 'List the executables that `try` and `run` built into the cache.';
  static override examples = ['<%= config.bin %> cache list'];
  static override flags = { 'cache-dir': executableCacheFlag };

  async run(): Promise<CacheListResult> {
    const { flags } = await this.parse(CacheList);
    const { listCache } = await import('../../services/cache/list.ts');
    const { cacheListText } = await import('../../services/cache/result.ts');
    const result = await listCache(flags['cache-dir']);
    this.log(cacheListText(result));
    return result;
  }
}
