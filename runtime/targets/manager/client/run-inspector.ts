import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { configError } from '#contract/errors.ts';
import { spawnable } from '#platform/command-file.ts';
import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@latest';

export interface InspectorOptions {
  /** The manager's MCP endpoint. */
  readonly endpoint: URL;
  readonly apiKey: string | undefined;
}

/** Runs the inspector in this terminal until it exits. Resolves with the exit code. */
export async function runInspector(
  manager: ManagerClient,
  { endpoint, apiKey }: InspectorOptions,
  output: Output,
): Promise<number> {
  // Fails early with an explanation if the manager does not respond, because the inspector would
  // only report that it cannot connect.
  await manager.get(apiPath('servers'));
  const header = apiKey === undefined ? [] : ['--header', `Authorization: Bearer ${apiKey}`];
  const args = ['--yes', INSPECTOR, '--transport', 'http', '--server-url', endpoint.href, ...header];
  output.err(`Starting the MCP inspector for ${endpoint.href}\n`);
  const { file, args: passed, ...quoting } = spawnable({ command: 'npx', env: process.env }, args);
  const child = spawn(file, passed, { ...quoting, stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit').catch((error: unknown) => {
    throw configError('Cannot run npx. Install Node.js, which includes npx, and add it to the PATH.', error);
  })) as [number | null, NodeJS.Signals | null];
  if (code === 0 || signal !== null) return 0;
  output.err(
    `npx could not run ${INSPECTOR} (exit code ${code}). npx downloads it on first use, so check that the npm registry is reachable.\n`,
  );
  return 1;
}
