import { randomUUID } from 'node:crypto';
import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { RayConfig } from '../../../config/spec.ts';
import { pause } from '#platform/wait-for.ts';
import type { Compute, ComputeEnd, ComputeProgress } from './compute.ts';
import { createRayCapacity } from './ray-capacity.ts';
import { createRayClient, FINAL_RAY_STATUSES, type RayClient, type RayStatus } from './ray-client.ts';
import { rayLauncher } from './ray-launcher.ts';

export interface RayOptions extends Pick<
  RayConfig,
  'address' | 'token' | 'command' | 'cacheBytes' | 'resources' | 'labels'
> {
  readonly clock: Clock;
}

const POLL_INTERVAL_MS = 1000;
/** Timeout for stopping a job. Ray sends SIGTERM and waits three seconds before it kills the process. */
const STOP_MS = 10_000;
const MAX_LOG_LINES = 20;

/** Errors of jobs that Ray gave up on before they started, because no node had enough resources. */
const NOT_STARTED: ReadonlySet<string> = new Set([
  'JOB_SUPERVISOR_ACTOR_START_TIMEOUT',
  'JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE',
]);

/** Runs workers on a Ray cluster. Ray job IDs start with the gateway's job ID. */
export function createRayCompute(options: RayOptions): Compute {
  const { address, token, resources, labels, clock } = options;
  const client = createRayClient(address, token);
  const capacity = createRayCapacity({ client, resources, labels, clock });
  return {
    name: 'ray',
    capacity,
    async run(assignment, progress, signal) {
      const id = `${assignment.jobId}-${assignment.epoch}-${randomUUID().slice(0, 8)}`;
      try {
        await client.submit({ id, ...rayLauncher(assignment, options), resources, labels });
      } catch (error) {
        // The submission may have succeeded. If the job cannot be stopped here, its token expires with the
        // lease.
        await client.stop(id).catch(() => undefined);
        return isUnavailable(error)
          ? { kind: 'unavailable', reason: messageOf(error) }
          : { kind: 'refused', reason: `The Ray cluster rejected the job: ${messageOf(error)}` };
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
    // An unresponsive cluster may still be running the job, so polling continues as long as the lease is
    // held.
    let problem: string | null = null;
    const state = await client.status(id).catch((error: unknown) => {
      problem = messageOf(error);
      return unknownJob(error);
    });
    if (state !== 'unknown' && stopAt === undefined) await progress.unreachable(problem);
    if (state === 'unknown') {
      return { kind: 'unavailable', reason: 'The Ray cluster was restarted and no longer has the job.' };
    }
    if (state && NOT_STARTED.has(state.errorType)) {
      return { kind: 'unavailable', reason: `The Ray cluster could not start the job: ${state.message}` };
    }
    if (state && FINAL_RAY_STATUSES.has(state.status)) {
      const logs = await client.logs(id).catch(() => '');
      return {
        kind: 'ended',
        succeeded: state.status === 'SUCCEEDED',
        how: `${state.status} (${state.message})`,
        lines: lastLines(logs),
      };
    }
    if (stopAt !== undefined && clock.now() >= stopAt) {
      return { kind: 'ended', succeeded: false, how: 'no response from the cluster', lines: [] };
    }
    if (state && stopAt === undefined) await report(state);
    await pause(POLL_INTERVAL_MS, clock, stopAt === undefined ? signal : new AbortController().signal);
  }
}

/** Reports state changes to the queue. */
function createReport({ started, waiting }: ComputeProgress): (state: RayStatus) => Promise<void> {
  let reported = '';
  return async ({ status, message }) => {
    const current = status === 'RUNNING' ? status : message;
    if (current === reported) return;
    reported = current;
    await (status === 'RUNNING'
      ? started()
      : waiting(`The Ray cluster has not started the job yet: ${message}`));
  };
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'UnavailableError';

/** Returns `unknown` if the cluster was restarted and lost the job. */
const unknownJob = (error: unknown) =>
  error instanceof AppError && error.reason === 'ray_404' ? ('unknown' as const) : undefined;

const lastLines = (logs: string): string[] =>
  logs
    .split('\n')
    .filter((line) => line !== '')
    .slice(-MAX_LOG_LINES);
