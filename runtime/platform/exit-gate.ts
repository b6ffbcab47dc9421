/**
 * Lets the process exit only between two requests of a thread. Node stops all threads at the exit, and a native
 * library that returns into a stopped thread aborts the process, so that it would end with a signal instead of
 * its exit code.
 */
export type ExitGate = Int32Array<SharedArrayBuffer>;

const IDLE = 0;
const RUNNING = 1;
const STOPPED = 2;

/** Longer than a batch takes, except on machines that are overloaded. */
const MAX_WAIT_MS = 10_000;

const gates = new Set<ExitGate>();

/** Creates the gate of a thread. `closeGate` must be called when the thread has ended. */
export function openGate(): ExitGate {
  if (gates.size === 0) process.on('exit', stopAll);
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  gates.add(gate);
  return gate;
}

export function closeGate(gate: ExitGate): void {
  gates.delete(gate);
  if (gates.size === 0) process.off('exit', stopAll);
}

/** In the thread: handles a request, or never starts if the process exits. */
export async function passGate<Result>(gate: ExitGate, handle: () => Promise<Result>): Promise<Result> {
  if (Atomics.compareExchange(gate, 0, IDLE, RUNNING) === STOPPED) return await new Promise<never>(() => {});
  try {
    return await handle();
  } finally {
    Atomics.store(gate, 0, IDLE);
    Atomics.notify(gate, 0);
  }
}

function stopAll(): void {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (const gate of gates) {
    while (Atomics.compareExchange(gate, 0, IDLE, STOPPED) === RUNNING && performance.now() < deadline)
      Atomics.wait(gate, 0, RUNNING, deadline - performance.now());
  }
}
