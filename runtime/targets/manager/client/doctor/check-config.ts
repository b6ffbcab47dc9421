import { messageOf } from '#contract/errors.ts';
import type { ConfigPaths } from '../../config/config-paths.ts';
import { type LoadedConfig, readConfig } from '../../config/read-config.ts';
import { type Finding, ok, problem } from '#serve/cli/doctor/finding.ts';

export interface CheckedConfig {
  /** Undefined if the configuration is invalid. */
  readonly config: LoadedConfig | undefined;
  readonly findings: readonly Finding[];
}

/** Checks the configuration files, the values they refer to, and the permissions of the secrets file. */
export async function checkConfig(
  paths: ConfigPaths,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckedConfig> {
  try {
    const config = await readConfig(paths, env, { keepsUnusable: true });
    const count = `${config.servers.length} server${config.servers.length === 1 ? '' : 's'}`;
    const problems = [...config.problems, ...config.warnings].map((text) => problem('configuration', text));
    const notes = config.notes.map((text) => ok('configuration', text));
    return { config, findings: [ok('configuration', `${count} in ${paths.config}`), ...notes, ...problems] };
  } catch (error) {
    return { config: undefined, findings: [problem('configuration', messageOf(error))] };
  }
}
