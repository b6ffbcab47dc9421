import { hash } from 'node:crypto';
import { remember } from '#core/limits/remember.ts';

/** A prompt's texts. Prompts of the same conversation start with the same texts. */
export interface PromptTexts {
  readonly texts: readonly string[];
  /** Number of texts before the last message, which later prompts are most likely to start with. */
  readonly repeated: number;
}

interface PrefixCounts {
  /**
   * Counts the tokens of a prompt. If it starts with the texts of a prompt that was counted before in the
   * same scope, only the texts after them are counted. Prompts of other scopes do not affect the time.
   */
  count(prompt: PromptTexts, scope: string, count: CountTexts): number;
}

type CountTexts = (texts: readonly string[]) => number;

/** The beginning of a prompt that was counted. */
interface CountedPrefix {
  /** Digest of the texts, which takes less memory than the texts. */
  readonly digest: string;
  readonly tokens: number;
}

/** Shorter texts are counted in less time than it takes to find them. */
const MIN_LENGTH = 512;

/** Maximum number of prefixes, which take about a megabyte. */
const MAX_PREFIXES = 4000;

/**
 * Maximum number of prefixes of a matching length that are compared with a prompt. Usually, the first one
 * is the same.
 */
const MAX_COMPARED = 2;

export function createPrefixCounts(maxPrefixes = MAX_PREFIXES): PrefixCounts {
  const known = new Map<string, CountedPrefix>();
  return {
    count({ texts, repeated }, scope, count) {
      const lengths = lengthsOf(texts);
      if ((lengths.at(-1) ?? 0) < MIN_LENGTH) return count(texts);
      const keyAt = (end: number): string => `${scope} ${end} ${lengths[end]}`;

      const candidates: number[] = [];
      for (let end = texts.length; end > 0 && candidates.length < MAX_COMPARED; end -= 1)
        if (known.has(keyAt(end))) candidates.push(end);
      const kept = [repeated, texts.length].filter((end) => (lengths[end] ?? 0) >= MIN_LENGTH);
      const digests = digestsOf(texts, new Set([...candidates, ...kept]));

      let from = candidates.find((end) => known.get(keyAt(end))?.digest === digests.get(end)) ?? 0;
      let tokens = from === 0 ? 0 : (known.get(keyAt(from))?.tokens ?? 0);
      for (const end of kept) {
        if (end < from) continue;
        if (end > from) tokens += count(texts.slice(from, end));
        from = end;
        remember(known, keyAt(end), { digest: digests.get(end) ?? '', tokens }, maxPrefixes);
      }
      return tokens;
    },
  };
}

/** The total length of the first texts, for each number of texts. */
function lengthsOf(texts: readonly string[]): number[] {
  const lengths = [0];
  let total = 0;
  for (const { length } of texts) lengths.push((total += length));
  return lengths;
}

/** Number of bytes after which a digest replaces the bytes before it. */
const BLOCK = 8 * 1024;

/** Longer texts are hashed separately. */
const MAX_TEXT = 8 * 1024;

/** Maximum number of bytes per UTF-16 code unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

const scratch = Buffer.allocUnsafeSlow(BLOCK + MAX_TEXT * MAX_UNIT_BYTES + 1);

/** These bytes do not occur in UTF-8: the first is before the digest of a long text, the second after a text. */
const [DIGEST, END] = [0xfe, 0xff];

/**
 * The digests of the first texts, for each number of texts in `ends`, in one pass. Short texts are hashed
 * together, because a call takes longer than hashing them. Hash objects would support this, but their memory
 * is only released by full garbage collections.
 */
function digestsOf(texts: readonly string[], ends: ReadonlySet<number>): ReadonlyMap<number, string> {
  const digests = new Map<number, string>();
  let filled = 0;
  const digest = (): string => hash('sha256', scratch.subarray(0, filled), 'latin1');
  for (const [index, text] of texts.entries()) {
    if (text.length > MAX_TEXT) {
      scratch[filled] = DIGEST;
      filled += 1 + scratch.write(hash('sha256', text, 'latin1'), filled + 1, 'latin1');
    } else {
      filled += scratch.write(text, filled);
    }
    scratch[filled] = END;
    filled += 1;
    if (ends.has(index + 1)) digests.set(index + 1, digest());
    if (filled >= BLOCK) filled = scratch.write(digest(), 0, 'latin1');
  }
  return digests;
}
