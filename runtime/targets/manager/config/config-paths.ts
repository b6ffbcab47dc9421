import { join, resolve } from 'node:path';
import { homeFolder } from '../../../platform/files/home-folder.ts';
import type { Invocation } from '../../../serve/cli/command.ts';

/** The two files a configuration is in; absolute. */
export interface ConfigPaths {
  /** `.mcpd.toml`, or JSON with `mcpServers`. */
  readonly config: string;
  /** The secrets file; it need not be there. */
  readonly runtime: string;
}

/** Precedence: flag, environment, default. */
export function configPaths(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
): ConfigPaths {
  return {
    // The name that also holds where a command has a --config of its own.
    config: resolve(invocation.value('config-file') ?? '.mcpd.toml'),
    runtime: resolve(
      invocation.value('runtime-file') ??
        join(
          env['XDG_CONFIG_HOME'] || join(env['HOME'] || homeFolder() || '/', '.config'),
          'mcpd',
          'secrets.dev.toml',
        ),
    ),
  };
}
