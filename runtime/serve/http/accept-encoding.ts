import { greatest } from '#core/numbers/extremes.ts';
/** Encodings of responses. At the same preference of the client, the first one is used: it takes the least processor time. */
const CODINGS = ['zstd', 'gzip', 'br'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * Returns the encoding that an `Accept-Encoding` header prefers; undefined if the response must not be encoded.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function preferredCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(header.toLowerCase().split(',').map(weightOf));
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const best = greatest(CODINGS.map(weight));
  // A client that names an encoding with a smaller weight than no encoding prefers the latter.
  if (best <= 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return CODINGS.find((coding) => weight(coding) === best);
}

function weightOf(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  // Without a valid number, the client may not be able to decode it.
  return [name === 'x-gzip' ? 'gzip' : name, weight >= 0 && weight <= 1 ? weight : 0];
}
