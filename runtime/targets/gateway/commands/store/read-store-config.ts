import type { Invocation } from '../../../../serve/cli/command.ts';
import { givenBy } from '../../config/given.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { readGatewayConfig, STORE_SETTINGS } from '../../config/read-config.ts';
import type { ModelsConfig } from '../../ask/models/models-config.ts';
import type { DatabasePlace } from '../../store/database-url.ts';

/** What the configuration says to commands that work on the database. */
export interface StoreConfig {
  readonly database: DatabasePlace;
  /** Undefined where no file says which models there are. */
  readonly models: Pick<ModelsConfig, 'providers' | 'aliases'> | undefined;
}

/** What is wrong with other settings of the file does not matter here: a variable of a provider need not be set in this shell. */
export async function readStoreConfig(invocation: Invocation): Promise<StoreConfig> {
  const given = givenBy(invocation, STORE_OPTIONS, process.env);
  const { database, models, file } = await readGatewayConfig(given, process.env, { only: STORE_SETTINGS });
  return { database, models: file === undefined ? undefined : models };
}
