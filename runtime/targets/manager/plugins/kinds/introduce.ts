import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectError } from '@connectrpc/connect';
import { configError } from '../../../../contract/errors.ts';
import { Flow } from '../../../../gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { PLUGIN_FLOWS, type PluginFlow, type PluginSpec } from '../../config/plugin-settings.ts';
import type { PluginClient } from './grpc-client.ts';

const LOOK_AGAIN_MS = 50;
const WIRE_FLOWS: Readonly<Record<PluginFlow, Flow>> = {
  request: Flow.REQUEST,
  response: Flow.RESPONSE,
};

export interface Introduction {
  readonly spec: PluginSpec;
  readonly commitHash: string | undefined;
  /** When it has to be ready, on the clock of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** What a plugin is told and asked before its first request. Resolves with the flows it is asked about. */
export async function introduce(
  { calls }: PluginClient,
  { spec, commitHash, deadline, signal }: Introduction,
): Promise<readonly PluginFlow[]> {
  const options = { timeoutMs: spec.timeoutMs, signal };
  await calls.configure({ customConfig: spec.config }, options);
  await untilReady(() => calls.checkReady({}, options), deadline, signal);
  const metadata = await calls.getMetadata({}, options);
  if (commitHash !== undefined && metadata.commitHash !== commitHash) {
    throw configError(
      `It says it was built from commit ${JSON.stringify(metadata.commitHash)}, but commit_hash is ${JSON.stringify(commitHash)}. Install that build, or correct commit_hash.`,
    );
  }
  const { flows: known } = await calls.getCapabilities({}, options);
  const flows = spec.flows.filter((flow) => known.includes(WIRE_FLOWS[flow]));
  if (flows.length === 0) throw configError(noCommonFlow(spec.flows, known));
  return flows;
}

async function untilReady(ask: () => Promise<unknown>, deadline: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      const late = performance.now() + LOOK_AGAIN_MS > deadline;
      if (late || signal.aborted)
        throw new Error(`it says ${ConnectError.from(error).rawMessage}`, { cause: error });
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}

function noCommonFlow(wanted: readonly PluginFlow[], known: readonly Flow[]): string {
  const names = PLUGIN_FLOWS.filter((flow) => known.includes(WIRE_FLOWS[flow]));
  const found = names.length === 0 ? 'no flow at all' : `the flow ${names.join(' and ')}`;
  return `It handles ${found}, but is to handle ${wanted.join(' and ')}. Correct its flows.`;
}
