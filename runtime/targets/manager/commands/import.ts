import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';

/** `import`: copies servers from the configuration of a desktop client or editor. */
export const importCommand: Command = {
  summary: 'Import servers from a JSON file with mcpServers into .mcpd.toml and the secrets file.',
  positionals: '<file.json>',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const [file] = exactly(invocation, '<file.json>');
    const { importServers } = await import('../config-edit/import-servers.ts');
    const { names, warnings } = await importServers(file, configPaths(invocation, process.env));
    for (const warning of warnings) output.err(`Warning: ${warning}\n`);
    output.err(`Imported ${names.join(', ') || 'no servers: the file contains none'}.\n`);
    return 0;
  },
};
