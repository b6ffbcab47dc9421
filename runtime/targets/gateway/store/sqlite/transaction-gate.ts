/**
 * Shows the ledger whether the other connection of this process is in a transaction. The two must not wait for each other inside
 * SQLite: that would block the event loop, and so the transaction that is waited for.
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
