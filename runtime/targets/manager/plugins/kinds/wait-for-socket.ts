import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 20;

/** Resolves as soon as a process listens on the socket; rejects after the deadline. */
export async function waitForSocket(path: string, deadline: number, signal: AbortSignal): Promise<void> {
  while (!(await isListening(path))) {
    if (performance.now() > deadline) throw new Error('it does not listen on the socket of --address');
    await sleep(RETRY_MS, undefined, { signal });
  }
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
