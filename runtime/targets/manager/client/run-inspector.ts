import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { configError } from '../../../contract/errors.ts';
import type { Output } from '../../../serve/cli/command.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@latest';

export interface InspectorOptions {
  /** Where the manager speaks MCP. */
  readonly endpoint: URL;
  readonly apiKey: string | undefined;
}

/** Runs the inspector on this terminal until it ends, and gives its exit code. */
export async function runInspector(
  manager: ManagerClient,
  { endpoint, apiKey }: InspectorOptions,
  output: Output,
): Promise<number> {
  // It would only say that it cannot connect.
  await manager.get(apiPath('servers'));
  const header = apiKey === undefined ? [] : ['--header', `Authorization: Bearer ${apiKey}`];
  const args = ['--yes', INSPECTOR, '--transport', 'http', '--server-url', endpoint.href, ...header];
  output.err(`Starting the MCP inspector for ${endpoint.href}\n`);
  const child = spawn('npx', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  const [code, signal] = (await once(child, 'exit').catch((error: unknown) => {
    throw configError(
      'Cannot run npx. Install Node.js, which has it, and make sure it is on the PATH.',
      error,
    );
  })) as [number | null, NodeJS.Signals | null];
  if (code === 0 || signal !== null) return 0;
  output.err(
    `npx could not run ${INSPECTOR} (exit code ${code}). It is downloaded from the npm registry when it is first used; see that this machine can reach it.\n`,
  );
  return 1;
}
