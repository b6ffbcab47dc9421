import { version } from '../services/version.ts';
import { BaseCommand } from './base-command.ts';

export class Version extends BaseCommand {
  static override summary = 'Print the product name and version.';
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> --version'];

  async run(): Promise<{ name: string; version: string }> {
    await this.parse(Version);
    const result = version();
    this.log(`${result.name} ${result.version}`);
    return result;
  }
}
