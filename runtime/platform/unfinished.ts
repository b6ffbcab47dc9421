import { writeAll } from './stdio.ts';

/**
 * Makes the process fail if its event loop becomes empty before the command is finished. Node would exit with
 * 0 then, so a command that waits for an event that never occurs would look like a success. Returns the function
 * that ends this.
 */
export function failUnlessFinished(): () => void {
  const onEmpty = (): void => {
    process.exitCode = 1;
    try {
      writeAll(2, 'Error: The command stopped before it was finished. This is a bug: please report it.\n');
    } catch {
      // The error message cannot be printed, but the exit code still indicates the failure.
    }
  };
  process.once('beforeExit', onEmpty);
  return () => process.off('beforeExit', onEmpty);
}
