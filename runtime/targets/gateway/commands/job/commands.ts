import type { CommandGroup } from '#serve/cli/command.ts';
import { jobRunCommand } from './run.ts';

export const JOB_COMMANDS: CommandGroup = {
  summary: 'Run workflow jobs (used internally by workers).',
  commands: { run: jobRunCommand },
};
