import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { DATA_FORMAT_OPTION, printData } from './data-format.ts';

/** `list`: lists the servers in the configuration files, without contacting a running manager. */
export const listCommand: Command = {
  summary: 'List the configured servers.',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    reveal: { help: 'Show values that look like secrets' },
  },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const [{ readText }, { readServersText }, { describeServers }, { formatTable }, { stdoutTerminal }] =
      await Promise.all([
        import('#platform/read-text.ts'),
        import('../config/read-servers-text.ts'),
        import('../config/describe-servers.ts'),
        import('#serve/cli/table.ts'),
        import('#serve/cli/terminal.ts'),
      ]);
    const config = await readServersText(paths.config);
    const servers = describeServers(config, await readText(paths.runtime), invocation.flag('reveal'));
    await printData(invocation, output, {
      data: servers,
      lines: () =>
        formatTable(
          ['NAME', 'START', 'TOOLS', 'ENABLED'],
          servers.map(({ name, start, tools, enabled }) => [
            name,
            start,
            tools.join(', ') || 'none',
            enabled ? 'yes' : 'no',
          ]),
          stdoutTerminal(),
        ),
    });
    return 0;
  },
};
