import type { Leave, TurnQueue } from '../../../../../core/limits/turn-queue.ts';
import type { Waiter } from './waiter.ts';

/** Resolves when a connection may be used, with what gives it back. Rejects, and keeps nothing, if the waiter leaves before. */
export async function waitForTurn(turns: TurnQueue, waiter: Waiter): Promise<Leave> {
  const turn = turns.ask();
  if (turn.kind === 'granted') return turn.leave;
  if (turn.kind === 'refused') throw new Error('too many wait');
  const { promise: left, reject } = Promise.withResolvers<never>();
  waiter.onLeave(() => reject(new Error('aborted')));
  try {
    await Promise.race([turn.granted, left]);
  } catch (error) {
    turn.leave();
    throw error;
  }
  return turn.leave;
}
