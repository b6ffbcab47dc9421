import { isObject } from '#core/json/is-object.ts';
import type { ScriptedResult } from './conversation.ts';

/** Tools whose results are part of the row, so that a conversation has no side effects. */
export interface ScriptedTools {
  /** The result of a call as text for the model. */
  call(name: string, given: unknown): string;
  /** The state after all calls so far. */
  state(): unknown;
}

const NO_RESULT = JSON.stringify({ error: 'This tool returned no result for these arguments.' });

/**
 * The first unused result that matches a call is returned, so that repeated calls can have different results; if all are
 * used, the last one.
 */
export function createScriptedTools(results: readonly ScriptedResult[], state: unknown): ScriptedTools {
  const used = new Set<ScriptedResult>();
  let current = state;
  return {
    call(name, given) {
      const matching = results.filter((one) => one.name === name && one.accepts?.(given) !== false);
      const found = matching.find((one) => !used.has(one)) ?? matching.at(-1);
      if (!found) return NO_RESULT;
      used.add(found);
      if (found.state !== undefined) current = mergePatch(current, found.state);
      return typeof found.result === 'string' ? found.result : JSON.stringify(found.result);
    },
    state: () => current,
  };
}

/** Maximum depth of a patch. Deeper members replace the value instead of being merged. */
const MAX_DEPTH = 100;

/**
 * Applies a JSON Merge Patch (RFC 7396).
 *
 * @internal Exported for tests only.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch) || depth >= MAX_DEPTH) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value, depth + 1));
  }
  return Object.fromEntries(merged);
}
