import { setTimeout as sleep } from 'node:timers/promises';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { JobQueue, JobLogLine } from '../jobs/job.ts';
import type { WorkflowDetails } from './workflow.ts';
import { isActive } from './workflow-row.ts';

/** Separates two jobs' logs. */
export const LOG_SEPARATOR = '\n================\n';
const POLL_INTERVAL_MS = 300;

const lineText = ({ at, level, text }: JobLogLine): string => `${rfc3339(at)} ${level.toUpperCase()} ${text}`;

/** A job's log as text. */
export async function jobLog(queue: Pick<JobQueue, 'logs'>, id: string): Promise<string> {
  const texts: string[] = [];
  for await (const line of linesOf(queue, id)) texts.push(lineText(line));
  return texts.join('\n');
}

export interface FollowedLine {
  readonly jobId: string;
  readonly line: JobLogLine;
}

/** Follows the logs of all of a workflow's jobs until the workflow has ended or the signal is aborted. */
export async function* followWorkflowLogs(
  queue: Pick<JobQueue, 'logs'>,
  read: () => Promise<WorkflowDetails>,
  signal: AbortSignal,
): AsyncGenerator<FollowedLine, void> {
  const last = new Map<string, string>();
  while (!signal.aborted) {
    // The workflow is read before the lines, so that an ended workflow's lines are complete.
    const workflow = await read();
    for (const { id: jobId } of workflow.jobs.toReversed()) {
      for await (const line of linesOf(queue, jobId, last.get(jobId))) {
        last.set(jobId, line.id);
        yield { jobId, line };
      }
    }
    if (!isActive(workflow)) return;
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function* linesOf(
  queue: Pick<JobQueue, 'logs'>,
  id: string,
  after?: string,
): AsyncGenerator<JobLogLine, void> {
  for (let last = after; ;) {
    const lines = await queue.logs(id, last);
    yield* lines;
    last = lines.at(-1)?.id;
    if (last === undefined) return;
  }
}
