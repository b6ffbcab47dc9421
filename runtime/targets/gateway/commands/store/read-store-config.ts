import type { Secret } from '#core/text/redactions.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { readFlagsAndEnv } from '../../config/flags-and-env.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { readGatewayConfig, STORE_SETTINGS } from '../../config/read-config.ts';
import type { FileModels } from '../../registry/follow-models.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import type { DatabaseLocation } from '../../store/database-url.ts';

/** The part of the configuration needed by database commands. */
export interface StoreConfig {
  readonly database: DatabaseLocation;
  /** Configured models; undefined without a configuration file. */
  readonly models: Pick<ModelsConfig, 'providers' | 'aliases'> | undefined;
  /** The models from the file or, without a file, from the environment, and how to add those in the database. */
  readonly fileModels: FileModels;
  /** Undefined if there is none, or if the command does not need it. */
  readonly masterKey: string | undefined;
  /** Values that messages must not contain. */
  readonly secrets: readonly Secret[];
}

export interface StoreNeeds {
  readonly needsMasterKey?: boolean | undefined;
}

/**
 * Ignores problems with other settings: the variable with a provider's key, for example, may not be set in
 * this shell.
 */
export async function readStoreConfig(
  invocation: Invocation,
  { needsMasterKey = false }: StoreNeeds = {},
): Promise<StoreConfig> {
  const flagsAndEnv = readFlagsAndEnv(invocation, STORE_OPTIONS, process.env);
  const only = needsMasterKey ? [...STORE_SETTINGS, 'master_key', 'master_key_file'] : STORE_SETTINGS;
  const config = await readGatewayConfig(flagsAndEnv, process.env, { only });
  const { database, models, file, withStored, masterKey, secrets } = config;
  return {
    database,
    models: file === undefined ? undefined : models,
    fileModels: { models, withStored },
    masterKey,
    secrets,
  };
}
