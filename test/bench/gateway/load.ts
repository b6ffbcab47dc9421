import { openConnection, requestTo, type Timing } from './connection.ts';
import type { Target } from './contestant.ts';

export interface LoadOptions {
  readonly concurrency: number;
  readonly stream?: boolean;
  /** Length of the conversation in each request in bytes. Default: none. */
  readonly conversation?: number | undefined;
  /** Called before every request. */
  readonly goOn: () => boolean;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly timings: readonly Timing[];
}

/** Number of different questions about a conversation. */
const QUESTIONS = 50;

/** Sends requests one after another on each of several connections. */
export async function putLoad(
  target: Target,
  { concurrency, stream, conversation, goOn }: LoadOptions,
): Promise<LoadResult> {
  const questions = conversation === undefined ? 1 : QUESTIONS;
  const requests = Array.from({ length: questions }, (_, number) =>
    requestTo(target, 'chat', { stream, conversation, number }),
  );
  let sent = 0;
  const next = (): Buffer => requests[sent++ % questions] as Buffer;
  const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(target)));
  const timings: Timing[] = [];
  const started = performance.now();
  try {
    await Promise.all(
      connections.map(async ({ ask }) => {
        while (goOn()) timings.push(await ask(next()));
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    return { perSecond: timings.length / seconds, timings };
  } finally {
    for (const { close } of connections) close();
  }
}

/** Returns true until this time has passed. */
export function forMilliseconds(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() < end;
}

/** Returns true this number of times. */
export function times(count: number): () => boolean {
  let left = count;
  return () => (left -= 1) >= 0;
}

/** The value at this percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? NaN;
}
