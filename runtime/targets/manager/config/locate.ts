import type { Path } from './problems.ts';
import { tomlStatements } from './toml-statements.ts';

/** Finds the line of what stands at a path of a TOML text, or of what it stands in. */
export function tomlLocator(text: string): (path: Path) => number | undefined {
  let places: ReadonlyMap<string, number> | undefined;
  return (path) => {
    places ??= linesByPath(text);
    for (let length = path.length; length > 0; length -= 1) {
      const line = places.get(JSON.stringify(path.slice(0, length)));
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
  let header: Path = [];
  const enter = (path: Path): void => {
    for (let length = 1; length <= path.length; length += 1) {
      const place = JSON.stringify(path.slice(0, length));
      if (!lines.has(place)) lines.set(place, line);
    }
  };
  /** A list's name in a header means its latest table. */
  const resolve = (keys: readonly string[]): Path => {
    let path: Path = [];
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
      const place = JSON.stringify(list);
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    if (kind !== 'key') header = resolve(keys);
    enter(kind === 'key' ? [...header, ...keys] : header);
  }
  return lines;
}
