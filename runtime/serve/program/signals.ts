import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

export interface SignalHooks {
  /** Called on SIGHUP to reload settings, unless the terminal has closed, which stops the process. */
  readonly onReload?: (() => void) | undefined;
}

/** Waits until a signal stops the process. A second signal exits immediately. */
export function untilStopped({ onReload }: SignalHooks = {}): {
  readonly stopped: Promise<NodeJS.Signals>;
  readonly forget: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let told: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    // Ignored if it arrives shortly afterwards: a launcher also forwards a signal that a service
    // manager has already sent to the whole process group.
    if (told?.signal === signal && now - told.at < ECHO_MILLISECONDS) return;
    // A second signal abandons running requests. `process.exit` would first terminate threads, and
    // terminating a thread in native code aborts the process.
    if (told) {
      forget();
      // Windows only accepts signals that terminate a process.
      process.kill(process.pid, process.platform === 'win32' ? 'SIGTERM' : signal);
    }
    told = { signal, at: now };
    resolve(signal);
  };
  const hangUp = (signal: NodeJS.Signals): void => {
    // Windows sends it when the console closes, and terminates the process a few seconds later.
    if (process.platform === 'win32') return stop(signal);
    if (onReload && terminalIsThere()) return onReload();
    // Without a terminal, SIGHUP comes from a shell, and `nohup` should protect from it; Node
    // resets ignored signals at startup.
    if (hadTerminal) stop(signal);
    else onReload?.();
  };
  const hadTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const listeners: readonly (readonly [NodeJS.Signals, (signal: NodeJS.Signals) => void])[] = [
    ['SIGINT', stop],
    ['SIGTERM', stop],
    ['SIGHUP', hangUp],
    // Ctrl+Break on Windows, which other programs can send to a process group, unlike Ctrl+C.
    ['SIGBREAK', stop],
    // Without a listener for this signal, Node would open its debugger to every program on this machine.
    ['SIGUSR1', ignore],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  function forget(): void {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
  return { stopped: promise, forget };
}

/** Returns an AbortSignal that is aborted by a stop signal, for work that only needs to be stopped. */
export function stopSignal(): { readonly signal: AbortSignal; readonly forget: () => void } {
  const stopping = new AbortController();
  const { stopped, forget } = untilStopped();
  void stopped.then(() => stopping.abort());
  return { signal: stopping.signal, forget };
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
