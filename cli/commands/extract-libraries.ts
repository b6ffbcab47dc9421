import { Args } from '@oclif/core';
import { extractLibraries } from '#platform/native/libraries.ts';
import { BaseCommand } from './base-command.ts';

export class ExtractLibraries extends BaseCommand {
  static override summary =
    'Extract the native libraries below a folder (used internally by the Node package).';
  static override hidden = true;
  static override args = {
    folder: Args.string({ required: true, description: 'Cache folder' }),
  };

  async run(): Promise<{ readonly folder: string }> {
    const { args } = await this.parse(ExtractLibraries);
    const folder = await extractLibraries(args.folder);
    this.log(folder);
    return { folder };
  }
}
