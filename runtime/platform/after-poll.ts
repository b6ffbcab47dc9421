import { setImmediate as immediate } from 'node:timers/promises';

/**
 * Resolves after Node has polled the system at least once: by then, it has read what had arrived on connections, and accepted a
 * connection if one was waiting.
 */
export async function afterPoll(): Promise<void> {
  // The first poll may have happened before this call, in the same turn of the event loop.
  await immediate();
  await immediate();
}
