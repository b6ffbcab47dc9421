import type { CommandGroup } from '../../../../serve/cli/command.ts';
import { exportCommand } from '../export.ts';
import { PLUGIN_COMMANDS } from '../plugin-commands.ts';
import { argsGroup } from './args.ts';
import { daemonGroup } from './daemon.ts';
import { nameList } from './name-lists.ts';
import { secretValues } from './secret-values.ts';

/** `config`: one setting at a time. */
export const configGroup: CommandGroup = {
  summary: 'Change what the files say of a server, or of the manager.',
  commands: {
    args: argsGroup,
    env: secretValues({ table: 'env', nouns: 'variables', pair: 'NAME=value', areHidden: true }),
    headers: secretValues({ table: 'headers', nouns: 'headers', pair: 'Name=value', areHidden: true }),
    volumes: secretValues({ table: 'volumes', nouns: 'volumes', pair: 'name=folder', areHidden: false }),
    tools: nameList({ key: 'tools', option: 'tool' }),
    prompts: nameList({ key: 'prompts', option: 'prompt' }),
    resources: nameList({ key: 'resources', option: 'resource' }),
    daemon: daemonGroup,
    plugins: { summary: 'What looks at requests and answers.', commands: PLUGIN_COMMANDS },
    export: exportCommand,
  },
};
