/**
 * Two connections of one process must not wait for each other inside SQLite: nothing else runs meanwhile, and so not what is
 * waited for. The ledger asks here whether the other one is in a transaction.
 */
export interface TransactionGate {
  readonly enter: () => void;
  readonly leave: () => void;
  /** Undefined if nobody is in; else resolves when that one has left. */
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
