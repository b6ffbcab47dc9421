import { parseLossless } from '#core/json/lossless-json.ts';
import { UsageError } from '#serve/cli/command.ts';

/** Returns the JSON Schema type of a tool argument; undefined if the tool does not declare it. */
export type ArgumentTypes = (name: string) => unknown;

export const isPair = (text: string): boolean => /^[^={["\s]+=/.test(text);

/** Parses the arguments as one JSON object. All digits of numbers are kept. */
export function parseArguments(text: string, source: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch {
    // The error below also covers invalid JSON.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`${source} must be a JSON object, e.g. '{"city": "Oslo"}', or key=value pairs.`);
}

/**
 * Parses pairs such as `city=Oslo days=3`. A value is a string if the tool declares a string or no type,
 * otherwise JSON.
 */
export function parsePairs(pairs: readonly string[], typeOf: ArgumentTypes): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      if (!isPair(pair)) {
        throw new UsageError(
          `${JSON.stringify(pair)} must have the form key=value when there are several arguments.`,
        );
      }
      const at = pair.indexOf('=');
      const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
      return [name, valueOf(name, text, typeOf(name))];
    }),
  );
}

function valueOf(name: string, text: string, type: unknown): unknown {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (type === undefined || types.includes('string')) return text;
  try {
    return parseLossless(text);
  } catch {
    const expected = types.map(String).join(' or ');
    throw new UsageError(`${name}: ${JSON.stringify(text)} is not valid JSON of type ${expected}.`);
  }
}
