import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

export interface SignalHooks {
  /** SIGHUP means to read the settings again; unless the terminal is gone, which is a reason to stop. */
  readonly onReload?: (() => void) | undefined;
}

/** Waits until the process is told to stop. A second signal ends it at once. */
export function untilStopped({ onReload }: SignalHooks = {}): {
  readonly stopped: Promise<NodeJS.Signals>;
  readonly forget: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let told: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    // A launcher passes on what a service manager sent to the whole group.
    if (told?.signal === signal && now - told.at < ECHO_MILLISECONDS) return;
    // What is still unanswered is lost, as whoever sent two signals wants it. `process.exit` would first end the threads, and
    // one that runs native code aborts the process then.
    if (told) {
      forget();
      process.kill(process.pid, signal);
    }
    told = { signal, at: now };
    resolve(signal);
  };
  const hangUp = (signal: NodeJS.Signals): void => {
    if (onReload && terminalIsThere()) return onReload();
    // Without a terminal it comes from a shell that `nohup` was to protect from; Node forgets at its start that a signal was
    // to be ignored.
    if (hadTerminal) stop(signal);
    else onReload?.();
  };
  const hadTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const listeners: readonly (readonly [NodeJS.Signals, (signal: NodeJS.Signals) => void])[] = [
    ['SIGINT', stop],
    ['SIGTERM', stop],
    ['SIGHUP', hangUp],
    // Node would open its debugger to every program of this machine.
    ['SIGUSR1', ignore],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  function forget(): void {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
  return { stopped: promise, forget };
}

const ECHO_MILLISECONDS = 100;

function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

function ignore(): void {}
