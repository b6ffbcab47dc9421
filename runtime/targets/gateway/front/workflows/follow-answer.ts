import type { Context } from 'hono';
import { rfc3339 } from '../../../../core/time/rfc3339.ts';
import type { GatewayContext } from '../../context.ts';
import { eventText } from '../../ask/streams/event-text.ts';
import { readablePieces } from '../../../../serve/http/exchange/readable-pieces.ts';
import type { WorkflowDetails } from '../../lab/workflows/workflow.ts';
import { followLogs } from '../../lab/workflows/workflow-logs.ts';
import { EVENT_STREAM, KEEP_ALIVE } from '../completions/event-stream.ts';

/** Answers with lines of log as they are written; the last event says how the workflow ended. */
export function followAnswer(
  c: Context,
  look: () => Promise<WorkflowDetails>,
  { jobs, kernel, clock }: Pick<GatewayContext, 'jobs' | 'kernel' | 'clock'>,
): Response {
  const gone = new AbortController();
  // A server that ends waits for no workflow.
  void kernel.lifecycle.changed(gone.signal).then(
    () => gone.abort(),
    () => undefined,
  );
  const events = eventsOf(look, jobs, gone);
  const stream = readablePieces(
    {
      next: () => events.next(),
      async cancel() {
        gone.abort();
        await events.return();
      },
    },
    KEEP_ALIVE,
    clock,
  );
  return c.body(stream, 200, { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-cache' });
}

async function* eventsOf(
  look: () => Promise<WorkflowDetails>,
  { queue }: Pick<GatewayContext['jobs'], 'queue'>,
  gone: AbortController,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const { jobId, line } of followLogs(queue, look, gone.signal)) {
      const { at, level, text } = line;
      yield Buffer.from(eventText({ job_id: jobId, timestamp: rfc3339(at), level, message: text }));
    }
    if (gone.signal.aborted) return;
    const { status, error } = await look();
    yield Buffer.from(eventText({ status, error }, 'end'));
  } finally {
    gone.abort();
  }
}
