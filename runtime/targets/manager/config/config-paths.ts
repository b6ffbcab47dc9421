import { dirname, join, resolve } from 'node:path';
import { homeFolder } from '#platform/files/home-folder.ts';
import type { Invocation } from '#serve/cli/command.ts';

/** Absolute paths of the two configuration files. */
export interface ConfigPaths {
  /** `.mcpd.toml`, or JSON with `mcpServers`. */
  readonly config: string;
  /** The secrets file, which is optional. */
  readonly runtime: string;
}

/** Precedence: flag, environment variable, default. */
export function configPaths(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
): ConfigPaths {
  return {
    // Every command accepts `config-file`; some have a different option named `config`.
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

/** Returns the path of the keys file: the selected file, or keys.jsonl next to the secrets file. */
export const keysPath = (selected: string | undefined, { runtime }: ConfigPaths): string =>
  selected === undefined ? join(dirname(runtime), 'keys.jsonl') : resolve(selected);
