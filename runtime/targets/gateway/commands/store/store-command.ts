import type { Command, Invocation, Output } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import type { Administration } from '../../gateway-state.ts';
import type { StoreConfig } from './read-store-config.ts';

/** The resources of a command whose command line is parsed. */
export interface StoreContext {
  readonly state: Administration;
  /** Configured models; undefined without a configuration file. */
  readonly models: StoreConfig['models'];
  readonly config: StoreConfig;
  readonly output: Output;
  /** Whether to print the result as JSON. */
  readonly json: boolean;
}

export interface StoreCommand extends Omit<Command, 'run'> {
  /** Whether the command encrypts or decrypts secrets and therefore needs the master key. */
  readonly needsMasterKey?: boolean;
  /** Parses the command line before the database is opened; the returned function executes the command. */
  readonly prepare: (invocation: Invocation) => (context: StoreContext) => Promise<void>;
}

/** Creates a command that works directly on the database. A running gateway picks up its changes within a second. */
export const storeCommand = ({ prepare, needsMasterKey, ...command }: StoreCommand): Command => ({
  ...command,
  options: { ...command.options, ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const work = prepare(invocation);
    // Imported after parsing, because neither the help nor command-line errors need the database.
    const { withState } = await import('./with-state.ts');
    const json = invocation.flag('json');
    await withState(
      invocation,
      async (state, config) => await work({ state, models: config.models, config, output, json }),
      { needsMasterKey },
    );
    return 0;
  },
});
