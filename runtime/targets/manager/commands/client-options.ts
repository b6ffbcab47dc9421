import type { Invocation, Option } from '../../../serve/cli/command.ts';
import type { ManagerClient } from '../client/manager-client.ts';
import { configPaths } from '../config/config-paths.ts';
import { commonOptions } from '../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { CONFIG_OPTIONS } from './config-options.ts';

/** Of every command that asks a running manager. */
export const CLIENT_OPTIONS = {
  ...CONFIG_OPTIONS,
  ...withEnvironment(
    'MCP_MANAGER',
    commonOptions({
      url: {
        help: 'URL or host:port of the running manager',
        defaultText: 'the address in the configuration, or 127.0.0.1:8090',
      },
      'api-key': {},
    }),
  ),
} satisfies Readonly<Record<string, Option>>;

/** Where the manager is that the command line names. */
export async function addressOf(invocation: Invocation): Promise<URL> {
  const { managerAddress } = await import('../client/address.ts');
  return managerAddress(invocation.value('url'), configPaths(invocation, process.env).config);
}

/** Does something with that manager, and leaves no connection open. */
export async function withManager(
  invocation: Invocation,
  work: (manager: ManagerClient) => Promise<number>,
): Promise<number> {
  // Other commands start sooner without it.
  const { createManagerClient } = await import('../client/manager-client.ts');
  const manager = createManagerClient(await addressOf(invocation), invocation.value('api-key'));
  try {
    return await work(manager);
  } finally {
    await manager.close();
  }
}
