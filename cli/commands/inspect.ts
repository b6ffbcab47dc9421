import { Args, Flags } from '@oclif/core';
import { type Inspection, inspectionTable } from '#core/model/inspection.ts';
import { withoutControls } from '#core/text/without-controls.ts';
import { BaseCommand } from './base-command.ts';

export class Inspect extends BaseCommand {
  static override summary = 'Show the model and the file sections of an executable.';
  static override examples = [
    '<%= config.bin %> inspect sentiment.encoder',
    '<%= config.bin %> inspect sentiment.encoder --json',
    '<%= config.bin %> inspect sentiment.encoder --card',
  ];
  static override args = {
    file: Args.string({ required: true, description: 'Model executable or base runtime, for any platform' }),
  };

  static override flags = {
    card: Flags.boolean({ summary: 'Print the model card from the file' }),
  };

  async run(): Promise<Inspection | { file: string; card: string }> {
    const { args, flags } = await this.parse(Inspect);
    if (flags.card) {
      const { readCardOf: readCard } = await import('../services/inspect.ts');
      const card = await readCard(args.file);
      this.log(shown(card.trimEnd()));
      return { file: args.file, card };
    }
    const { inspectFile } = await import('../services/inspect.ts');
    const inspection = await inspectFile(args.file);
    this.log(shown(inspectionTable(inspection)));
    return inspection;
  }
}

/** The texts come from a file of others, which could otherwise control a terminal. */
const shown = (text: string): string => (process.stdout.isTTY ? withoutControls(text) : text);
