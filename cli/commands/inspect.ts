import { Args } from '@oclif/core';
import { type Inspection, inspectionTable } from '../../runtime/core/model/inspection.ts';
import { BaseCommand } from './base-command.ts';

export class Inspect extends BaseCommand {
  static override summary = 'Show the model in an executable and the contents of the file.';
  static override examples = [
    '<%= config.bin %> inspect sentiment.encoder',
    '<%= config.bin %> inspect sentiment.encoder --json',
  ];
  static override args = {
    file: Args.string({ required: true, description: 'Model executable or base runtime, for any platform' }),
  };

  async run(): Promise<Inspection> {
    const { args } = await this.parse(Inspect);
    const { inspectFile } = await import('../services/inspect.ts');
    const inspection = await inspectFile(args.file);
    this.log(inspectionTable(inspection));
    return inspection;
  }
}
