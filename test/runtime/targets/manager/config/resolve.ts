import { AppError } from '#contract/errors.ts';
import {
  type ConfigSources,
  resolveManagerConfig,
  type ResolvedConfig,
} from '#manager/config/resolve-config.ts';
import type { ProcessLaunch, RemoteLaunch, ServerSpec } from '#manager/config/spec.ts';

interface Texts extends Partial<Pick<ConfigSources, 'env' | 'timeouts' | 'keepsUnusable'>> {
  readonly servers: string;
  readonly secrets?: string;
  /** The name of the servers file. */
  readonly file?: string;
}

/** Resolves a configuration from two texts, as if they were files. */
export const resolve = ({
  servers,
  secrets,
  file = '.mcpd.toml',
  env = {},
  timeouts,
  keepsUnusable,
}: Texts): ResolvedConfig =>
  resolveManagerConfig({
    servers: { path: file, text: servers },
    secrets: secrets === undefined ? undefined : { path: 'secrets.toml', text: secrets },
    env,
    platform: 'linux',
    timeouts,
    keepsUnusable,
  });

/** The problems of a configuration. */
export function problemsOf(texts: Texts): string[] {
  try {
    resolve(texts);
  } catch (error) {
    if (error instanceof AppError && error.code === 'ConfigError')
      return error.details?.map(({ message }) => message) ?? [];
    throw error;
  }
  return [];
}

export function processOf(server: ServerSpec | undefined): ProcessLaunch {
  if (server?.launch.kind !== 'process') throw new Error('no process');
  return server.launch;
}

export function remoteOf(server: ServerSpec | undefined): RemoteLaunch {
  if (server?.launch.kind !== 'remote') throw new Error('not remote');
  return server.launch;
}
