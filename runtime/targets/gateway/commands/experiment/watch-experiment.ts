import { oneLine } from '#serve/cli/table.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayClient } from './gateway-client.ts';

interface WatchedJob {
  readonly type: string;
  readonly total_rows: number;
  readonly done_rows: number;
  readonly failed_rows: number;
  /** Why the job is waiting, other than for a free slot. */
  readonly queued_reason: string | null;
}

export interface WatchedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  readonly jobs: readonly WatchedJob[];
}

const POLL_MS = 300;

export const hasEnded = ({ status }: Pick<WatchedWorkflow, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed';

/** Reports progress until all models have succeeded or failed. */
export async function watchExperiment(
  client: GatewayClient,
  id: string,
  show: (workflows: readonly WatchedWorkflow[]) => void,
): Promise<readonly WatchedWorkflow[]> {
  for (;;) {
    const experiment = await client.json('GET', `/api/v1/experiments/${id}`);
    const workflows = experiment['workflows'] as readonly WatchedWorkflow[];
    show(workflows);
    if (workflows.every(hasEnded)) return workflows;
    await sleep(POLL_MS);
  }
}

/** For example `small: inference 450/1000`. */
function progressText({ name, status, error, jobs }: WatchedWorkflow): string {
  const [job] = jobs;
  if (status === 'failed') return `${name}: failed: ${error ?? ''}`;
  const reason = job?.queued_reason ? ` (${job.queued_reason})` : '';
  if (!job || (status !== 'running' && reason === '')) return `${name}: ${status}`;
  return `${name}: ${job.type} ${job.done_rows}/${job.total_rows}${reason}`;
}

/** Shows progress: on a terminal, overwrites its own lines; otherwise writes a line per change. */
export function createExperimentProgress(
  write: (text: string) => void,
  isLive: boolean,
): (workflows: readonly WatchedWorkflow[]) => void {
  let lineCount = 0;
  const lastSteps = new Map<string, string>();
  return (workflows) => {
    if (isLive) {
      const lines = workflows.map((workflow) => `\u001B[2K${oneLine(progressText(workflow))}\n`).join('');
      write(`${lineCount === 0 ? '' : `\u001B[${lineCount}A`}${lines}`);
      lineCount = workflows.length;
      return;
    }
    for (const workflow of workflows) {
      const { type = '', queued_reason: reason = null } = workflow.jobs[0] ?? {};
      const step = `${workflow.status} ${type} ${reason ?? ''}`;
      if (lastSteps.get(workflow.id) === step) continue;
      lastSteps.set(workflow.id, step);
      write(`${progressText(workflow)}\n`);
    }
  };
}
