import type { WorkTools } from '../../work/work.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerLine } from './protocol.ts';

/** What the work says, on its way to the log of its job. Lines that cannot be brought there are lost, and nothing else is. */
export interface Said {
  readonly say: WorkTools['log'];
  readonly flushed: () => Promise<void>;
}

const MOST_WAITING_LINES = 1000;

export function createSaid({ log }: Pick<WorkerClient, 'log'>): Said {
  let waiting: WorkerLine[] = [];
  let sent: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) await log(lines).catch(() => undefined);
  };
  return {
    say(level, text) {
      if (waiting.length >= MOST_WAITING_LINES) return;
      waiting.push({ level, text });
      if (waiting.length === 1) sent = sent.then(send);
    },
    flushed: () => sent,
  };
}
