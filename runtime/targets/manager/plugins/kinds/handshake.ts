import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectError } from '@connectrpc/connect';
import { configError } from '#contract/errors.ts';
import { Flow } from '#gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { PLUGIN_FLOWS, type PluginFlow, type PluginSpec } from '../../config/plugin-settings.ts';
import type { PluginClient } from './grpc-client.ts';

const RETRY_MS = 50;
const WIRE_FLOWS: Readonly<Record<PluginFlow, Flow>> = {
  request: Flow.REQUEST,
  response: Flow.RESPONSE,
};

export interface HandshakeOptions {
  readonly spec: PluginSpec;
  readonly commitHash: string | undefined;
  /** Deadline for the plugin to be ready, in `performance.now()` time. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Configures and checks a plugin before its first request. Resolves with the flows that it supports. */
export async function performHandshake(
  { calls }: PluginClient,
  { spec, commitHash, deadline, signal }: HandshakeOptions,
): Promise<readonly PluginFlow[]> {
  const options = { timeoutMs: spec.timeoutMs, signal };
  await calls.configure({ customConfig: spec.config }, options);
  await untilReady(() => calls.checkReady({}, options), deadline, signal);
  const metadata = await calls.getMetadata({}, options);
  if (commitHash !== undefined && metadata.commitHash !== commitHash) {
    throw configError(
      `It reports commit ${JSON.stringify(metadata.commitHash)}, but commit_hash is ${JSON.stringify(commitHash)}. Install that build, or correct commit_hash.`,
    );
  }
  const { flows: known } = await calls.getCapabilities({}, options);
  const flows = spec.flows.filter((flow) => known.includes(WIRE_FLOWS[flow]));
  if (flows.length === 0) throw configError(noCommonFlow(spec.flows, known));
  return flows;
}

async function untilReady(
  checkReady: () => Promise<unknown>,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await checkReady();
      return;
    } catch (error) {
      const late = performance.now() + RETRY_MS > deadline;
      if (late || signal.aborted)
        throw new Error(`CheckReady failed: ${ConnectError.from(error).rawMessage}`, { cause: error });
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

function noCommonFlow(configured: readonly PluginFlow[], known: readonly Flow[]): string {
  const names = PLUGIN_FLOWS.filter((flow) => known.includes(WIRE_FLOWS[flow]));
  const supported = names.length === 0 ? 'no flow' : names.join(' and ');
  return `It supports ${supported}, but flows contains ${configured.join(' and ')}. Correct flows.`;
}
