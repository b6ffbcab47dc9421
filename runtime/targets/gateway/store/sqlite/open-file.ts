import { statSync } from 'node:fs';
import { databaseUnavailable } from '../database-error.ts';

/**
 * Checks that the path still refers to the file that was opened. A removed or replaced file can still be
 * written, but its data would be lost at the next start.
 */
export interface FileCheck {
  readonly isInPlace: () => boolean;
  /** Throws if the file was removed, moved or replaced. */
  readonly require: () => void;
}

export function createFileCheck(path: string): FileCheck {
  const opened = fileAt(path);
  const isInPlace = (): boolean => fileAt(path) === opened;
  return {
    isInPlace,
    require() {
      if (!isInPlace()) throw databaseUnavailable(lost(path));
    },
  };
}

function fileAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

const lost = (path: string): Error =>
  new Error(
    `The database file ${path} was removed, moved or replaced while the gateway was running. ` +
      'Restore it, or restart the gateway.',
  );

/**
 * Lets the ledger know whether this process's other connection is in a transaction. The two must not wait for
 * each other inside SQLite: that would block the event loop, and therefore the very transaction being waited
 * for.
 */
export interface TransactionGate {
  readonly enter: () => void;
  readonly leave: () => void;
  /** Undefined without a transaction; otherwise resolves when the transaction has ended. */
  readonly busy: () => Promise<void> | undefined;
}

export function createTransactionGate(): TransactionGate {
  let inside: PromiseWithResolvers<void> | undefined;
  return {
    enter() {
      inside = Promise.withResolvers();
    },
    leave() {
      inside?.resolve();
      inside = undefined;
    },
    busy: () => inside?.promise,
  };
}
