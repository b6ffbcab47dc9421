import { Args } from '@oclif/core';
import { BaseCommand } from './base-command.ts';

const PROGRAMS = ['encoder', 'manager', 'gateway'] as const;

export class Licenses extends BaseCommand {
  static override summary = 'Print the licenses of the software bundled into executables.';
  static override description =
    "An executable prints the same text with --licenses. The licenses of encoderfile's own packages are in node_modules.";
  static override examples = [
    '<%= config.bin %> licenses',
    '<%= config.bin %> licenses gateway > NOTICES.txt',
  ];
  static override args = {
    program: Args.custom<(typeof PROGRAMS)[number]>({
      options: [...PROGRAMS],
      description: 'Program to print the licenses for',
    })({ default: 'encoder' }),
  };

  async run(): Promise<{ program: string; notices: string }> {
    const { args } = await this.parse(Licenses);
    const program = args.program ?? 'encoder';
    const { licenses } = await import('../services/licenses.ts');
    const notices = await licenses(program);
    this.log(notices.trimEnd());
    return { program, notices };
  }
}
