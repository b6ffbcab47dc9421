import type { ConfigPaths } from './config-paths.ts';
import type { ReloadableConfig } from '../../../serve/program/reloader.ts';
import type { Environment } from '../../../core/text/expand.ts';
import { readServersText } from './read-servers-text.ts';
import { isBlank, readText, type TextFileOnDisk } from '../../../platform/read-text.ts';
import { type ConfigSources, resolveConfig } from './resolve-config.ts';
import type { ManagerConfig } from './spec.ts';

/** A configuration, and what whoever wrote it should hear about it although it works. */
export interface LoadedConfig extends ManagerConfig, ReloadableConfig {
  /** What is wrong with the servers that are not started. */
  readonly problems: readonly string[];
}

/** Reads the configuration; rejects with one ConfigError that names everything wrong with it. */
export async function readConfig(
  paths: ConfigPaths,
  env: Environment,
  options: Pick<ConfigSources, 'timeouts' | 'keepsUnusable'> = {},
): Promise<LoadedConfig> {
  const [servers, secrets] = await Promise.all([readServersText(paths.config), readText(paths.runtime)]);
  const { platform } = process;
  const resolved = resolveConfig({ servers, secrets, env, platform, ...options });
  return {
    ...resolved,
    files: [paths.config, paths.runtime],
    sources: [servers, ...(secrets ? [secrets] : [])].map((file) => ({
      path: file.path,
      isBlank: isBlank(file),
    })),
    warnings: [...resolved.warnings, ...(secrets ? sharedWarning(secrets, platform) : [])],
  };
}

/** Windows says who may read a file in other ways. */
function sharedWarning({ path, text, mode }: TextFileOnDisk, platform: string): string[] {
  if (platform === 'win32' || text === '' || (mode & 0o077) === 0) return [];
  return [`${path}: others than its owner may read it. Keep its secrets with \`chmod 600 ${path}\`.`];
}
