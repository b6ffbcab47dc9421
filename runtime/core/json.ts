import { shortestFloat32 } from './float32.ts';

/** JSON on one line; float arrays in shortest float32 form. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value, replaceFloats);
}

/** JSON for people: indented, but lists of plain values on one line, so that a vector is not a page long. */
export function toPrettyJson(value: unknown): string {
  return render(JSON.parse(toJsonLine(value)), '');
}

function replaceFloats(_key: string, value: unknown): unknown {
  return value instanceof Float32Array ? Array.from(value, shortestFloat32) : value;
}

function render(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null))
      return `[${value.map((v) => JSON.stringify(v)).join(', ')}]`;
    return `[\n${value.map((item) => inner + render(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${render(item, inner)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
}
