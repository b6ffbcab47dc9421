import { encodeFloats, encodeJson, estimateFloats } from './json-writer.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';

/** Formats a value as JSON on one line, with floats in their shortest float32 form. */
export function toJsonLine(value: unknown): string {
  return new TextDecoder().decode(encodeJson(value));
}

/** Parses a result that a worker thread has rendered. */
export const readRenderedJson = (bytes: Uint8Array): unknown => parseJsonText(Buffer.from(bytes).toString());

/**
 * Formats a value as indented JSON for people. Lists of plain values are on one line, so that a
 * vector does not fill a page.
 */
export function toPrettyJson(value: unknown): string {
  return render(value, '', estimateFloats(value) < MANY_FLOATS ? printFew : printMany);
}

type PrintFloats = (values: Float32Array) => string;

function render(value: unknown, indent: string, printFloats: PrintFloats): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (value instanceof Float32Array) return printFloats(value);
  const inner = `${indent}  `;
  const part = (item: unknown): string => render(item, inner, printFloats);
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null))
      return `[${value.map(part).join(', ')}]`;
    return `[\n${value.map((item) => inner + part(item)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${inner}${JSON.stringify(key)}: ${part(item)}`);
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
}

/**
 * The fast writer is only faster once V8 has compiled it. For fewer values than this, V8's built-in
 * functions are faster.
 */
const MANY_FLOATS = 10_000;
const printFew: PrintFloats = (values) => `[${Array.from(values, printFloat).join(', ')}]`;
const printFloat = (value: number): string => JSON.stringify(shortestFloat32(value));
const printMany: PrintFloats = (values) =>
  new TextDecoder().decode(encodeFloats(values)).replaceAll(',', ', ');
