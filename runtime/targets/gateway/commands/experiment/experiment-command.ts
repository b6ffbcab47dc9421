import type { Command, Invocation, Option, Output } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import type { GatewayClient } from './gateway-client.ts';
import { withGateway } from './with-gateway.ts';

interface ExperimentContext {
  readonly client: GatewayClient;
  /** The experiment's route. */
  readonly path: string;
  readonly id: string;
  readonly output: Output;
}

interface ExperimentCommand {
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /**
   * Parses the command line before a gateway is called; the returned function does the work and resolves with
   * the exit code.
   */
  readonly prepare: (invocation: Invocation) => (context: ExperimentContext) => Promise<number>;
}

/** Creates a command that works on one of a gateway's experiments. */
export function experimentCommand({ summary, options, prepare }: ExperimentCommand): Command {
  const all = { ...options, ...CLIENT_OPTIONS, ...STORE_OPTIONS };
  return {
    summary,
    positionals: '<experiment_id>',
    options: all,
    async run(invocation, output) {
      const [id] = exactly(invocation, '<experiment_id>');
      const work = prepare(invocation);
      const path = `/api/v1/experiments/${encodeURIComponent(id)}`;
      return await withGateway(invocation, all, (client) => work({ client, path, id, output }));
    },
  };
}
