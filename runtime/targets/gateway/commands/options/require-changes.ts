import { UsageError } from '#serve/cli/command.ts';

/** Throws a UsageError if no option of an update is set. */
export function requireChanges(changes: object): void {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new UsageError('Nothing to change. Set at least one option.');
  }
}
