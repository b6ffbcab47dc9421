import { randomUUID } from 'node:crypto';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { RayConfig } from '../../config/spec.ts';
import { pause } from '../../../../platform/pause.ts';
import type { Compute, ComputeEnd } from '../api.ts';
import { JOB_TOKEN_VARIABLE, JOB_URL_VARIABLE } from '../worker/variables.ts';
import { createRayClient, RAY_IS_OVER, type RayClient } from './ray-client.ts';

export interface RayOptions extends Pick<RayConfig, 'address' | 'token' | 'command'> {
  readonly clock: Clock;
}

const LOOK_EVERY_MS = 1000;
/** Ray sends SIGTERM and waits three seconds before it kills. */
const STOP_MS = 10_000;
const LAST_LINES = 20;

/** Workers on the nodes of a Ray cluster; the jobs there are called after ours. */
export function createRayCompute({ address, token, command, clock }: RayOptions): Compute {
  const client = createRayClient(address, token);
  return {
    name: 'ray',
    async run({ jobId, epoch, gatewayUrl, token }, signal) {
      const id = `${jobId}-${epoch}-${randomUUID().slice(0, 8)}`;
      const env = { [JOB_URL_VARIABLE]: gatewayUrl, [JOB_TOKEN_VARIABLE]: token };
      try {
        await client.submit({ id, entrypoint: `exec ${command} job run`, env });
      } catch (error) {
        // It may have come through: then nobody may think that it runs no more while it does.
        await client.stop(id).catch(() => undefined);
        return { how: `a refusal of its cluster (${messageOf(error)})`, lines: [] };
      }
      return await untilEnded(id, client, clock, signal);
    },
    close: () => client.close(),
  };
}

async function untilEnded(
  id: string,
  client: RayClient,
  clock: Clock,
  signal: AbortSignal,
): Promise<ComputeEnd> {
  let stopAt: number | undefined;
  for (;;) {
    if (signal.aborted && stopAt === undefined) {
      stopAt = clock.now() + STOP_MS;
      await client.stop(id).catch(() => undefined);
    }
    // A cluster that does not answer may run it all the same: as long as the lease holds, so does this.
    const state = await client.status(id).catch((error: unknown) => unknownTo(error));
    if (state !== undefined && RAY_IS_OVER.has(state.status)) {
      const logs = await client.logs(id).catch(() => '');
      return { how: `${state.status} (${state.message})`, lines: lastLines(logs) };
    }
    if (stopAt !== undefined && clock.now() >= stopAt) {
      return { how: 'no word of its cluster', lines: [] };
    }
    await pause(LOOK_EVERY_MS, clock, stopAt === undefined ? signal : new AbortController().signal);
  }
}

/** A cluster that was started anew knows nothing of it. */
const unknownTo = (error: unknown) =>
  error instanceof AppError && error.reason === 'ray_404'
    ? ({ status: 'STOPPED', message: 'its cluster does not know it' } as const)
    : undefined;

const lastLines = (logs: string): string[] =>
  logs
    .split('\n')
    .filter((line) => line !== '')
    .slice(-LAST_LINES);
