import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';

/** `remove`: removes a server from the configuration file. */
export const removeCommand: Command = {
  summary: 'Remove a server.',
  positionals: '<name>',
  options: {
    ...CONFIG_OPTIONS,
    'with-secrets': { help: 'Also remove its values from the secrets file' },
  },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    const paths = configPaths(invocation, process.env);
    const { editSecrets, editServers } = await import('../config-edit/config-editor.ts');
    const { removeServer } = await import('../config-edit/servers-text.ts');
    const { removeSecrets } = await import('../config-edit/secrets-text.ts');
    await editServers(paths, (text) => removeServer(text, name));
    output.err(`Removed ${name} from ${paths.config}.\n`);
    if (!invocation.flag('with-secrets')) return 0;
    const changed = await editSecrets(paths, (text) => removeSecrets(text, name));
    output.err(
      changed
        ? `Removed its values from ${paths.runtime}.\n`
        : `${paths.runtime} contains no values for it.\n`,
    );
    return 0;
  },
};
