import { UsageError } from '../../../../serve/cli/command.ts';

/** Throws a UsageError if there is nothing to change. */
export function requireChanges(changes: object): void {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new UsageError('Nothing to change is named.');
  }
}
