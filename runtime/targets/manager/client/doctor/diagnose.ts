import type { Output } from '#serve/cli/command.ts';
import type { ConfigPaths } from '../../config/config-paths.ts';
import type { ManagerClient } from '../manager-client.ts';
import { showFindings } from '#serve/cli/doctor/show-findings.ts';
import { checkCommands } from './check-commands.ts';
import { checkConfig } from './check-config.ts';
import { checkManager } from './check-manager.ts';

export interface DiagnoseOptions {
  readonly paths: ConfigPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly address: URL;
  readonly json: boolean;
}

/** Runs all checks and prints their findings. Resolves with the exit code, which is 1 if there is a problem. */
export async function diagnose(
  manager: ManagerClient,
  { paths, env, address, json }: DiagnoseOptions,
  output: Output,
): Promise<number> {
  const { config, findings } = await checkConfig(paths, env);
  const [commands, running] = await Promise.all([
    checkCommands(config?.servers ?? []),
    checkManager(manager, address),
  ]);
  return showFindings([...findings, ...commands, ...running], json, output);
}
