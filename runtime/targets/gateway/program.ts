import type { Program } from '../../serve/cli/command.ts';
import { licensesCommand } from '../../serve/cli/licenses-command.ts';
import { versionCommand } from '../../serve/cli/version-command.ts';
import { JSON_OPTION } from '../../serve/cli/output-format.ts';
import { CONFIG_COMMANDS } from './commands/config-commands.ts';
import { EXPERIMENT_COMMANDS } from './commands/experiment/commands.ts';
import { JOB_COMMANDS } from './commands/job-commands.ts';
import { serveCommand } from './commands/serve.ts';
import { STORE_COMMANDS } from './commands/store-commands.ts';

/** The commands of gateway. */
export const gatewayProgram: Program = {
  name: 'gateway',
  title: 'One door to language models, with keys, users, budgets and honest accounts.',
  options: JSON_OPTION,
  commands: {
    serve: serveCommand,
    config: CONFIG_COMMANDS,
    experiment: EXPERIMENT_COMMANDS,
    job: JOB_COMMANDS,
    ...STORE_COMMANDS,
    version: versionCommand('gateway'),
    licenses: licensesCommand('gateway'),
  },
};
