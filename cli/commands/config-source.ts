import { Errors } from '@oclif/core';
import { CONFIG_NAMES, configIn, type ConfigSource } from '../services/read-config.ts';

/** The part of oclif's parse result that is needed here. */
interface Parsed {
  readonly flags: { readonly config?: string | undefined };
  readonly args: { readonly folder?: string | undefined };
  readonly raw: readonly { readonly type: string; readonly flag?: string }[];
}

/**
 * Determines the configuration of a command: a folder argument, else --config, else the config file
 * in the current folder. A folder argument takes precedence over the environment variable of
 * --config.
 */
export function configSource({ flags: { config }, args: { folder }, raw }: Parsed): ConfigSource {
  if (folder !== undefined) {
    if (!raw.some(({ type, flag }) => type === 'flag' && flag === 'config')) return { folder };
    throw new Errors.CLIError(
      `--config and the folder ${JSON.stringify(folder)} cannot be combined. Pass one of them.`,
    );
  }
  if (config !== undefined) return config;
  const found = configIn('.');
  if (found !== undefined) return found;
  throw new Errors.CLIError(
    `Missing required flag --config: the current folder has no ${CONFIG_NAMES[0] ?? ''}. Pass a config file or a model folder.`,
  );
}
