import type { Invocation, Option } from '#serve/cli/command.ts';
import type { ManagerClient } from '../client/manager-client.ts';
import { configPaths } from '../config/config-paths.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { MANAGER_DEFAULTS } from '../config/defaults.ts';
import { CONFIG_OPTIONS } from './config-options.ts';

/** Options for every command that sends requests to a running manager. */
export const DAEMON_CLIENT_OPTIONS = {
  ...CONFIG_OPTIONS,
  ...withEnvironment(
    'MCP_MANAGER',
    commonOptions({
      url: {
        help: 'URL or host:port of the running manager',
        defaultText: `the address in the configuration, or ${MANAGER_DEFAULTS.addr}`,
      },
      'api-key': {},
    }),
  ),
} satisfies Readonly<Record<string, Option>>;

/** Returns the manager address selected on the command line. */
export async function addressOf(invocation: Invocation): Promise<URL> {
  const { managerAddress } = await import('../client/address.ts');
  return managerAddress(invocation.value('url'), configPaths(invocation, process.env).config);
}

/** Runs `work` with a client for the selected manager, then closes its connections. */
export async function withManager(
  invocation: Invocation,
  work: (manager: ManagerClient) => Promise<number>,
): Promise<number> {
  // Imported here because loading the HTTP client would delay the start of other commands.
  const { createManagerClient } = await import('../client/manager-client.ts');
  const manager = createManagerClient(await addressOf(invocation), invocation.value('api-key'));
  try {
    return await work(manager);
  } finally {
    await manager.close();
  }
}
