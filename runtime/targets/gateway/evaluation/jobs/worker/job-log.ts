import type { WorkTools } from '../../work/work.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerLine } from './protocol.ts';

/** Sends log lines of a worker to the log of its job. Lines that cannot be sent are dropped and do not fail the job. */
export interface JobLog {
  readonly write: WorkTools['log'];
  readonly flushed: () => Promise<void>;
}

/** Maximum lines that wait to be sent; further ones are dropped. */
const MAX_WAITING_LINES = 1000;

export function createJobLog({ log }: Pick<WorkerClient, 'log'>): JobLog {
  let waiting: WorkerLine[] = [];
  let sent: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) await log(lines).catch(() => undefined);
  };
  return {
    write(level, text) {
      if (waiting.length >= MAX_WAITING_LINES) return;
      waiting.push({ level, text });
      if (waiting.length === 1) sent = sent.then(send);
    },
    flushed: () => sent,
  };
}
