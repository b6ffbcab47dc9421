import type { KeyState } from './key-state.ts';

/**
 * The states of keys in all threads. Threads share cool-downs, but each counts its own calls, and knows the
 * limits that its own responses have reported.
 */
export function mergeKeyStates(lists: readonly (readonly KeyState[])[]): KeyState[] {
  const merged = new Map<string, KeyState>();
  for (const state of lists.flat()) {
    const name = `${state.provider} ${state.key}`;
    const before = merged.get(name);
    merged.set(name, before ? sumOf(before, state) : state);
  }
  return [...merged.values()];
}

function sumOf(one: KeyState, other: KeyState): KeyState {
  const kinds = new Set([...Object.keys(one.failures), ...Object.keys(other.failures)]);
  const limits = Map.groupBy([...one.limits, ...other.limits], ({ model, of }) => `${model} ${of}`);
  return {
    ...one,
    calls: one.calls + other.calls,
    failures: Object.fromEntries(
      [...kinds].map((kind) => [kind, (one.failures[kind] ?? 0) + (other.failures[kind] ?? 0)]),
    ),
    // The latest report resets last.
    limits: [...limits.values()].flatMap((reports) =>
      reports.toSorted((a, b) => b.resetsAt - a.resetsAt).slice(0, 1),
    ),
  };
}
