import { Args, Flags } from '@oclif/core';
import { extractLibraries } from '#platform/native/libraries.ts';
import { BaseCommand } from './base-command.ts';

export class ExtractLibraries extends BaseCommand {
  static override summary =
    'Extract the native libraries below a folder (used internally by the Node package).';
  static override hidden = true;
  static override args = {
    folder: Args.string({ required: true, description: 'Cache folder' }),
  };
  static override flags = {
    gpu: Flags.boolean({ description: 'Also extract the files that only GPUs need' }),
  };

  async run(): Promise<{ readonly folder: string }> {
    const { args, flags } = await this.parse(ExtractLibraries);
    const folder = await extractLibraries(args.folder, flags.gpu);
    this.log(folder);
    return { folder };
  }
}
