import type { CommandGroup } from '../../../serve/cli/command.ts';
import { jobRunCommand } from './job-run.ts';

export const JOB_COMMANDS: CommandGroup = {
  summary: 'Work on jobs of workflows.',
  commands: { run: jobRunCommand },
};
