import type { Command, Invocation, Output } from '../../../../serve/cli/command.ts';
import { JSON_OPTION } from '../../../../serve/cli/output-format.ts';
import type { StoreConfig } from './read-store-config.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import type { Administration } from '../../gateway-state.ts';

/** What a command works with once its command line is understood. */
export interface StoreContext {
  readonly state: Administration;
  /** What the configuration says of models; undefined where there is none. */
  readonly models: StoreConfig['models'];
  readonly output: Output;
  /** Whether the result is for a program. */
  readonly json: boolean;
}

export interface StoreCommand extends Omit<Command, 'run'> {
  /** Reads the command line, before any database is opened; what it returns does the work. */
  readonly prepare: (invocation: Invocation) => (context: StoreContext) => Promise<void>;
}

/** A command that works on the database itself; a gateway that runs on it notices within a second. */
export const storeCommand = ({ prepare, ...command }: StoreCommand): Command => ({
  ...command,
  options: { ...command.options, ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const work = prepare(invocation);
    // Help and mistakes of the command line need no database.
    const { withState } = await import('./with-state.ts');
    const json = invocation.flag('json');
    await withState(invocation, async (state, { models }) => await work({ state, models, output, json }));
    return 0;
  },
});
