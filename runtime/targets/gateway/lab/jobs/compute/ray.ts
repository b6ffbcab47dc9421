import { randomUUID } from 'node:crypto';
import { AppError, messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { RayConfig } from '../../../config/spec.ts';
import { pause } from '../../../../../platform/pause.ts';
import type { Compute, ComputeEnd, ComputeProgress } from '../job.ts';
import { JOB_TOKEN_VARIABLE, JOB_URL_VARIABLE } from '../worker/variables.ts';
import { createRayClient, RAY_IS_OVER, type RayClient, type RayStatus } from './ray-client.ts';

export interface RayOptions extends Pick<RayConfig, 'address' | 'token' | 'command' | 'resources'> {
  readonly clock: Clock;
}

const LOOK_EVERY_MS = 1000;
/** Ray sends SIGTERM and waits three seconds before it kills. */
const STOP_MS = 10_000;
const LAST_LINES = 20;

/** Ray gives up jobs that no node had room for; they did not begin. */
const NOT_STARTED: ReadonlySet<string> = new Set([
  'JOB_SUPERVISOR_ACTOR_START_TIMEOUT',
  'JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE',
]);

/** Workers on the nodes of a Ray cluster; the jobs there are called after ours. */
export function createRayCompute({ address, token, command, resources, clock }: RayOptions): Compute {
  const client = createRayClient(address, token);
  return {
    name: 'ray',
    async run({ jobId, epoch, gatewayUrl, token }, progress, signal) {
      const id = `${jobId}-${epoch}-${randomUUID().slice(0, 8)}`;
      const env = { [JOB_URL_VARIABLE]: gatewayUrl, [JOB_TOKEN_VARIABLE]: token };
      try {
        await client.submit({ id, entrypoint: `exec ${command} job run`, env, resources });
      } catch (error) {
        // The submission may have succeeded. If this cannot stop it, its token expires with the lease.
        await client.stop(id).catch(() => undefined);
        return isUnavailable(error)
          ? { kind: 'unavailable', reason: messageOf(error) }
          : { kind: 'refused', reason: `The Ray cluster refused the job: ${messageOf(error)}` };
      }
      return await untilEnded(id, client, progress, clock, signal);
    },
    close: () => client.close(),
  };
}

async function untilEnded(
  id: string,
  client: RayClient,
  progress: ComputeProgress,
  clock: Clock,
  signal: AbortSignal,
): Promise<ComputeEnd> {
  let stopAt: number | undefined;
  const report = createReport(progress);
  for (;;) {
    if (signal.aborted && stopAt === undefined) {
      stopAt = clock.now() + STOP_MS;
      await client.stop(id).catch(() => undefined);
    }
    // A cluster that does not answer may run it all the same: as long as the lease holds, so does this.
    const state = await client.status(id).catch((error: unknown) => unknownTo(error));
    if (state === 'unknown') {
      return { kind: 'unavailable', reason: 'The Ray cluster was restarted and no longer has the job.' };
    }
    if (state && NOT_STARTED.has(state.errorType)) {
      return { kind: 'unavailable', reason: `The Ray cluster could not start the job: ${state.message}` };
    }
    if (state && RAY_IS_OVER.has(state.status)) {
      const logs = await client.logs(id).catch(() => '');
      return { kind: 'ended', how: `${state.status} (${state.message})`, lines: lastLines(logs) };
    }
    if (stopAt !== undefined && clock.now() >= stopAt) {
      return { kind: 'ended', how: 'no word of its cluster', lines: [] };
    }
    if (state && stopAt === undefined) await report(state);
    await pause(LOOK_EVERY_MS, clock, stopAt === undefined ? signal : new AbortController().signal);
  }
}

/** Passes on what has changed. */
function createReport({ started, waiting }: ComputeProgress): (state: RayStatus) => Promise<void> {
  let reported = '';
  return async ({ status, message }) => {
    const news = status === 'RUNNING' ? status : message;
    if (news === reported) return;
    reported = news;
    await (status === 'RUNNING' ? started() : waiting(`The Ray cluster has not started the job: ${message}`));
  };
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'UnavailableError';

/** A cluster that was restarted does not know the job. */
const unknownTo = (error: unknown) =>
  error instanceof AppError && error.reason === 'ray_404' ? ('unknown' as const) : undefined;

const lastLines = (logs: string): string[] =>
  logs
    .split('\n')
    .filter((line) => line !== '')
    .slice(-LAST_LINES);
