import type { CommandGroup } from '#serve/cli/command.ts';
import { exportCommand } from '../export.ts';
import { PLUGIN_COMMANDS } from '../plugin-commands.ts';
import { argsGroup } from './args.ts';
import { daemonGroup } from './daemon.ts';
import { groupsGroup } from './groups.ts';
import { nameList } from './name-lists.ts';
import { secretValues } from './secret-values.ts';

/** `config`: edits single settings of the configuration files. */
export const configGroup: CommandGroup = {
  summary: 'Edit the configuration of a server or of the manager.',
  commands: {
    args: argsGroup,
    env: secretValues({ table: 'env', nouns: 'variables', pair: 'NAME=value', areHidden: true }),
    headers: secretValues({ table: 'headers', nouns: 'headers', pair: 'Name=value', areHidden: true }),
    volumes: secretValues({ table: 'volumes', nouns: 'volumes', pair: 'name=folder', areHidden: false }),
    tools: nameList({ key: 'tools', option: 'tool' }),
    prompts: nameList({ key: 'prompts', option: 'prompt' }),
    resources: nameList({ key: 'resources', option: 'resource' }),
    groups: groupsGroup,
    daemon: daemonGroup,
    plugins: { summary: 'Manage plugins, which process requests and responses.', commands: PLUGIN_COMMANDS },
    export: exportCommand,
  },
};
