import { isatty } from 'node:tty';

/** Waits until the process is told to stop. A second signal ends it at once. */
export function untilStopped(): { readonly stopped: Promise<NodeJS.Signals>; readonly forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let told = false;
  const stop = (signal: NodeJS.Signals): void => {
    // What is still unanswered is lost, as whoever sent two signals wants it. `process.exit` would first end the threads, and
    // one that runs native code aborts the process then.
    if (told) {
      forget();
      process.kill(process.pid, signal);
    }
    told = true;
    resolve(signal);
  };
  const listeners: readonly (readonly [NodeJS.Signals, (signal: NodeJS.Signals) => void])[] = [
    ['SIGINT', stop],
    ['SIGTERM', stop],
    // The terminal is gone. Without one it means "read your settings again", or comes from a shell that `nohup` was to
    // protect from; Node forgets at its start that a signal was to be ignored.
    ['SIGHUP', hasTerminal() ? stop : ignore],
    // Node would open its debugger to every program of this machine.
    ['SIGUSR1', ignore],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  function forget(): void {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
  return { stopped: promise, forget };
}

const hasTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd));

function ignore(): void {}
