import { Flags } from '@oclif/core';
import type { BaseAddResult } from '../../services/base/result.ts';
import { BaseCommand } from '../base-command.ts';
import { cacheDirFlag } from '../flags.ts';

export class BaseAdd extends BaseCommand {
  static override summary = 'Build base runtimes ahead of time, or import one built elsewhere.';
  static override examples = [
    '<%= config.bin %> base add --platform linux-arm64 --platform windows-x64',
    '<%= config.bin %> base add --file ./base-runtime',
  ];
  static override flags = {
    platform: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      summary: 'Platform to build a base runtime for; repeatable (default: this machine)',
      helpValue: '<platform>',
    }),
    file: Flags.string({
      summary: 'Base runtime to import, or a model executable that contains one',
      helpValue: '<file>',
    }),
    'cache-dir': cacheDirFlag,
    'no-download': Flags.boolean({ summary: 'Do not download Node for other platforms' }),
  };

  async run(): Promise<BaseAddResult> {
    const { flags } = await this.parse(BaseAdd);
    const { addBaseFile, addBases } = await import('../../services/base/add.ts');
    const { baseAddText } = await import('../../services/base/result.ts');
    const { platform: platforms = [], file, 'cache-dir': cacheDir } = flags;
    if (file !== undefined && platforms.length > 1)
      return this.error(
        'A base runtime file supports a single platform; pass at most one --platform with --file',
      );
    const report = this.reporter(flags.quiet);
    const result =
      file === undefined
        ? await addBases({ platforms, cacheDir, canDownload: !flags['no-download'] }, report)
        : await addBaseFile(file, platforms[0], cacheDir, report);
    if (!flags.quiet) this.log(baseAddText(result));
    return result;
  }
}
