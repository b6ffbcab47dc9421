import { parseLossless } from '../../../core/json/lossless-json.ts';
import { UsageError } from '../../../serve/cli/command.ts';

/** The types a tool says its arguments have; of those it says nothing about, nothing. */
export type ArgumentTypes = (name: string) => unknown;

export const isPair = (text: string): boolean => /^[^={["\s]+=/.test(text);

/** The arguments as one JSON object. Numbers stay as they are written. */
export function parseArguments(text: string, source: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch {
    // Told below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`${source} must be a JSON object, as in '{"city": "Oslo"}', or key=value pairs.`);
}

/** `city=Oslo days=3`: a text where the tool wants one or says nothing, else JSON. */
export function parsePairs(pairs: readonly string[], typeOf: ArgumentTypes): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      if (!isPair(pair)) {
        throw new UsageError(
          `${JSON.stringify(pair)} is no key=value pair, and there is more than one argument.`,
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
    const wanted = types.map(String).join(' or ');
    throw new UsageError(`${name} must be ${wanted}, written as JSON; ${JSON.stringify(text)} is not.`);
  }
}
