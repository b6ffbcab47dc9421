import type { BaseListResult } from '../../services/base/result.ts';
import { BaseCommand } from '../base-command.ts';
import { cacheDirFlag } from '../flags.ts';

export class BaseList extends BaseCommand {
  static override summary = 'List the cached base runtimes.';
  static override examples = ['<%= config.bin %> base list'];
  static override flags = { 'cache-dir': cacheDirFlag };

  async run(): Promise<BaseListResult> {
    const { flags } = await this.parse(BaseList);
    const { listBases } = await import('../../services/base/list.ts');
    const { baseListText } = await import('../../services/base/result.ts');
    const result = await listBases(flags['cache-dir']);
    this.log(baseListText(result));
    return result;
  }
}
