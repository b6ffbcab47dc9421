import type { Context } from 'hono';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { GatewayContext } from '../../context.ts';
import { eventText } from '../../providers/streams/stream.ts';
import { readablePieces } from '#serve/http/exchange/readable-pieces.ts';
import type { WorkflowDetails } from '../../evaluation/workflows/workflow.ts';
import { followLogs } from '../../evaluation/workflows/workflow-logs.ts';
import { EVENT_STREAM, KEEP_ALIVE } from '../completions/event-stream.ts';

/** Streams log lines as they are written. The last event has the final status of the workflow. */
export function followAnswer(
  c: Context,
  readWorkflow: () => Promise<WorkflowDetails>,
  { jobs, kernel, clock }: Pick<GatewayContext, 'jobs' | 'kernel' | 'clock'>,
): Response {
  const stop = new AbortController();
  // Shutdown must not wait for the end of a workflow.
  void kernel.lifecycle.changed(stop.signal).then(
    () => stop.abort(),
    () => undefined,
  );
  const events = eventsOf(readWorkflow, jobs, stop);
  const stream = readablePieces(
    {
      next: () => events.next(),
      async cancel() {
        stop.abort();
        await events.return();
      },
    },
    KEEP_ALIVE,
    clock,
  );
  return c.body(stream, 200, { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-cache' });
}

async function* eventsOf(
  readWorkflow: () => Promise<WorkflowDetails>,
  { queue }: Pick<GatewayContext['jobs'], 'queue'>,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const { jobId, line } of followLogs(queue, readWorkflow, stop.signal)) {
      const { at, level, text } = line;
      yield Buffer.from(eventText({ job_id: jobId, timestamp: rfc3339(at), level, message: text }));
    }
    if (stop.signal.aborted) return;
    const { status, error } = await readWorkflow();
    yield Buffer.from(eventText({ status, error }, 'end'));
  } finally {
    stop.abort();
  }
}
