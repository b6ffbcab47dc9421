import type { ListFaults } from './managed-server.ts';

/** Maximum number of faults shown per list, because a server can list thousands of malformed items. */
const MAX_SHOWN = 20;
/** Maximum number of faults kept per list. */
const MAX_KEPT = 1000;

/** Collects the faults in a server's lists. `warn` receives each one once per server session. */
export function createListFaults(redact: (text: string) => string, warn: (text: string) => void): ListFaults {
  const lists = new Map<string, readonly string[]>();
  const warned = new Set<string>();
  return {
    all: () => [...lists.values()].flatMap(shown),
    report(list, faults, { isFirstPage }) {
      const before = isFirstPage ? [] : (lists.get(list) ?? []);
      const texts = [...before, ...faults.map(redact)].slice(0, MAX_KEPT);
      if (texts.length === 0) lists.delete(list);
      else lists.set(list, texts);
      for (const text of shown(texts)) {
        if (!warned.has(text)) warn(text);
        warned.add(text);
      }
    },
    clear() {
      lists.clear();
      warned.clear();
    },
  };
}

const shown = (faults: readonly string[]): readonly string[] =>
  faults.length <= MAX_SHOWN
    ? faults
    : [...faults.slice(0, MAX_SHOWN), `${faults.length - MAX_SHOWN} more items are omitted`];
