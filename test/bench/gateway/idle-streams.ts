import { memoryOf } from '../measure/process-memory.ts';
import { type Connection, openConnection, requestTo } from './connection.ts';
import type { RunningContestant } from './contestant.ts';

export interface HeldStreams {
  readonly before: number;
  readonly during: number;
  /** Whether a concurrent request got a response. */
  readonly answers: boolean;
}

/** Opens a number of streams that send one word and then nothing. */
export async function holdStreams(
  { pid = 0, target }: RunningContestant,
  count: number,
): Promise<HeldStreams> {
  const before = memoryOf(pid).resident;
  const request = requestTo(target, 'idle', { stream: true });
  const open: Connection[] = [];
  try {
    while (open.length < count) {
      const more = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - open.length) }, () => openConnection(target)),
      );
      open.push(...more);
      await Promise.all(more.map(({ begin }) => begin(request)));
    }
    const during = memoryOf(pid).resident;
    const other = await openConnection(target);
    open.push(other);
    const answers = await other.ask(requestTo(target, 'chat')).then(
      () => true,
      () => false,
    );
    return { before, during, answers };
  } finally {
    for (const { close } of open) close();
  }
}

/** Prevents the connection queue from overflowing. */
const AT_ONCE = 50;
