/**
 * Waits until stdin is closed. The operating system closes the other end of a pipe when the process that holds it exits for
 * any reason, also when it is killed. What is written to stdin is ignored.
 */
export function untilStdinCloses(): { readonly closed: Promise<void>; readonly forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { stdin } = process;
  const close = (): void => resolve();
  for (const event of ['end', 'close', 'error'] as const) stdin.on(event, close);
  stdin.resume();
  return {
    closed: promise,
    // An open stdin would keep the process running.
    forget: () => void stdin.destroy(),
  };
}
