import type { ListFaults } from './managed-server.ts';

/** Faults shown of one list: a server can list thousands of items that are all wrong. */
const MAX_SHOWN = 20;
const MAX_REMEMBERED = 1000;

/** `warn` gets each fault once, until the server has a new session. */
export function createListFaults(redact: (text: string) => string, warn: (text: string) => void): ListFaults {
  const lists = new Map<string, readonly string[]>();
  const warned = new Set<string>();
  return {
    all: () => [...lists.values()].flatMap(shown),
    report(list, faults, { isFirstPage }) {
      const before = isFirstPage ? [] : (lists.get(list) ?? []);
      const texts = [...before, ...faults.map(redact)].slice(0, MAX_REMEMBERED);
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
    : [...faults.slice(0, MAX_SHOWN), `${faults.length - MAX_SHOWN} more items are left out`];
