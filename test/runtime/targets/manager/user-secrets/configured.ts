import type { ConfigPaths } from '#manager/config/config-paths.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { resolveManagerConfig } from '#manager/config/resolve-config.ts';
import { openUserSecrets, type UserSecrets } from '#manager/user-secrets/user-secrets.ts';
import { join } from 'node:path';

const TIMEOUTS = { install: 20_000, init: 20_000, request: 15_000, shutdown: 5000 };

/** Resolves a configuration, as the manager does. */
export const configured = (text: string, env: Readonly<Record<string, string>> = {}): readonly ServerSpec[] =>
  resolveManagerConfig({
    servers: { path: '/config/.mcpd.toml', text },
    secrets: undefined,
    env,
    platform: 'linux',
    timeouts: TIMEOUTS,
  }).servers;

export const pathsIn = (folder: string): ConfigPaths => ({
  config: join(folder, '.mcpd.toml'),
  runtime: join(folder, 'secrets.toml'),
});

/** The secrets of users in a folder. */
export const secretsIn = (folder: string): UserSecrets => openUserSecrets(pathsIn(folder), {});
