import { isDeepStrictEqual } from 'node:util';
import type { ServerSpec } from '../config/spec.ts';

export interface PlannedChanges {
  readonly added: readonly ServerSpec[];
  readonly removed: readonly string[];
  /** Servers with a changed launch, which need a restart. */
  readonly relaunched: readonly ServerSpec[];
  /** Servers with other changes only. */
  readonly updated: readonly ServerSpec[];
  readonly unchanged: readonly string[];
}

/** Compares two configurations by the names of servers. The order of arguments is significant, that of variables is not. */
export function planChanges(before: readonly ServerSpec[], after: readonly ServerSpec[]): PlannedChanges {
  const old = new Map(before.map((spec) => [spec.name, spec]));
  const names = new Set(after.map(({ name }) => name));
  const plan: {
    added: ServerSpec[];
    relaunched: ServerSpec[];
    updated: ServerSpec[];
    unchanged: string[];
  } = { added: [], relaunched: [], updated: [], unchanged: [] };
  for (const spec of after) {
    const current = old.get(spec.name);
    if (current === undefined) plan.added.push(spec);
    else if (!isDeepStrictEqual(current.launch, spec.launch)) plan.relaunched.push(spec);
    else if (!isDeepStrictEqual(current, spec)) plan.updated.push(spec);
    else plan.unchanged.push(spec.name);
  }
  return { ...plan, removed: before.map(({ name }) => name).filter((name) => !names.has(name)) };
}
