import type { ConfigPaths } from './config-paths.ts';
import type { ReloadableConfig } from '#serve/program/reloader.ts';
import type { Environment } from '#core/text/expand.ts';
import { readServersText } from './read-servers-text.ts';
import { isBlank, readText, type TextFileOnDisk } from '#platform/read-text.ts';
import { type ConfigSources, resolveManagerConfig } from './resolve-config.ts';
import { pinsPath } from './pins-file.ts';
import type { ManagerConfig } from './spec.ts';

/** A valid configuration, with its warnings. */
export interface LoadedConfig extends ManagerConfig, ReloadableConfig {
  readonly notes: readonly string[];
  /** Problems of individual servers, which are not started. */
  readonly problems: readonly string[];
}

interface ReadOptions extends Pick<ConfigSources, 'timeouts' | 'keepsUnusable'> {
  /** Whether to read the pinned tools as well; true by default. */
  readonly readsPins?: boolean;
}

/** Reads the configuration; rejects with one ConfigError that lists all problems. */
export async function readConfig(
  paths: ConfigPaths,
  env: Environment,
  { readsPins = true, ...options }: ReadOptions = {},
): Promise<LoadedConfig> {
  const pinsFile = pinsPath(paths.config);
  const [servers, secrets, pins] = await Promise.all([
    readServersText(paths.config),
    readText(paths.runtime),
    readsPins ? readText(pinsFile) : undefined,
  ]);
  const { platform } = process;
  const resolved = resolveManagerConfig({ servers, secrets, pins, env, platform, ...options });
  return {
    ...resolved,
    files: [paths.config, paths.runtime, pinsFile],
    sources: [servers, ...(secrets ? [secrets] : []), ...(pins ? [pins] : [])].map((file) => ({
      path: file.path,
      isBlank: isBlank(file),
    })),
    warnings: [...resolved.warnings, ...(secrets ? permissionWarnings(secrets, platform) : [])],
  };
}

/** Warns if other users can read the secrets file. Windows has no file modes to check. */
function permissionWarnings({ path, text, mode }: TextFileOnDisk, platform: string): string[] {
  if (platform === 'win32' || text === '' || (mode & 0o077) === 0) return [];
  return [`${path} is readable by other users. Restrict it with \`chmod 600 ${path}\`.`];
}
