/** Waits until the process is told to stop. A second signal ends it at once. */
export function untilStopped(): { readonly stopped: Promise<NodeJS.Signals>; readonly forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let told = false;
  const listener = (signal: NodeJS.Signals): void => {
    // What is still unanswered is lost, as whoever sent two signals wants it.
    if (told) process.exit(EXIT_BY_SIGNAL[signal] ?? 1);
    told = true;
    resolve(signal);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    stopped: promise,
    forget() {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** As shells report a process that a signal ended. */
const EXIT_BY_SIGNAL: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
