import { isDeepStrictEqual } from 'node:util';
import type { ServerSpec } from '../config/spec.ts';

export interface PlannedChanges {
  readonly added: readonly ServerSpec[];
  readonly removed: readonly string[];
  /** How they are launched changed. */
  readonly relaunched: readonly ServerSpec[];
  /** Anything else of them changed. */
  readonly updated: readonly ServerSpec[];
  readonly unchanged: readonly string[];
}

/** Compares by name and everything else: the order of arguments matters, that of variables does not. */
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
    const was = old.get(spec.name);
    if (was === undefined) plan.added.push(spec);
    else if (!isDeepStrictEqual(was.launch, spec.launch)) plan.relaunched.push(spec);
    else if (!isDeepStrictEqual(was, spec)) plan.updated.push(spec);
    else plan.unchanged.push(spec.name);
  }
  return { ...plan, removed: before.map(({ name }) => name).filter((name) => !names.has(name)) };
}
