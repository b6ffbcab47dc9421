import type { ProblemPath } from './problems.ts';
import { tomlStatements } from './toml-statements.ts';

/** Finds the line of the value at a path in a TOML text, or of the closest enclosing table. */
export function tomlLocator(text: string): (path: ProblemPath) => number | undefined {
  let lines: ReadonlyMap<string, number> | undefined;
  return (path) => {
    lines ??= linesByPath(text);
    for (let length = path.length; length > 0; length -= 1) {
      const line = lines.get(JSON.stringify(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return undefined;
  };
}

function linesByPath(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const counts = new Map<string, number>();
  let line = 1;
  let counted = 0;
  let header: ProblemPath = [];
  const enter = (path: ProblemPath): void => {
    for (let length = 1; length <= path.length; length += 1) {
      const key = JSON.stringify(path.slice(0, length));
      if (!lines.has(key)) lines.set(key, line);
    }
  };
  /** Adds list indexes to a path: in a header, the name of a list refers to its last table. */
  const resolve = (keys: readonly string[]): ProblemPath => {
    let path: ProblemPath = [];
    for (const key of keys) {
      path = [...path, key];
      const count = counts.get(JSON.stringify(path));
      if (count !== undefined) path = [...path, count - 1];
    }
    return path;
  };
  for (const { kind, keys, start } of tomlStatements(text)) {
    line += text.slice(counted, start).split('\n').length - 1;
    counted = start;
    if (kind === 'array-table') {
      const list = [...resolve(keys.slice(0, -1)), ...keys.slice(-1)];
      const key = JSON.stringify(list);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    if (kind !== 'key') header = resolve(keys);
    enter(kind === 'key' ? [...header, ...keys] : header);
  }
  return lines;
}
