import { AppError, inputError, messageOf } from '#contract/errors.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { startOfText } from '#core/text/code-points.ts';
import { lazy } from '#core/values/lazy.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import { createPlainEncoder } from './plain-encoder.ts';

/**
 * The part of the `tokenizers` addon that is used. The package itself finds this file by a search
 * that cannot be bundled.
 */
export interface TokenizersAddon {
  readonly Tokenizer: { fromString(json: string): RawTokenizer };
}

export interface RawTokenizer {
  getVocab(withAddedTokens: boolean): Record<string, number>;
  tokenToId(token: string): number | null;
  idToToken(id: number): string | null;
  disableTruncation(): void;
  setTruncation(maxLength: number, options: { direction: string; strategy?: string }): void;
  disablePadding(): void;
  encode(text: string, pair?: string | null, options?: EncodeOptions): Promise<Encoding>;
  encodeBatch(texts: string[], options?: EncodeOptions): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}

interface EncodeOptions {
  readonly addSpecialTokens?: boolean;
}

/** Each getter calls native code and creates an array: call it once, and only if needed. */
interface Encoding {
  getLength(): number;
  getIds(): number[];
  getTypeIds(): number[];
  getSpecialTokensMask(): number[];
  getTokens(): string[];
  getOffsets(): number[][];
  getWordIds(): (number | null | undefined)[];
  getSequenceIds(): (number | null | undefined)[];
  getOverflowing(): unknown[];
}

interface TokenizeOptions {
  /** Whether results contain tokens, which requires their spelling and position. */
  readonly details: boolean;
  readonly addSpecialTokens?: boolean;
  /** Types of the entities to find, for zero_shot_ner models. Without them, texts are tokenized unchanged. */
  readonly labels?: readonly string[] | undefined;
}

export interface TextTokenizer {
  encode(inputs: readonly TextInput[], options: TokenizeOptions): Promise<TokenizedText[]>;
  decode(ids: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<string[]>;
  /** The token with an id as written in the vocabulary; null if there is none. */
  tokenOf(id: number): string | null;
  /** The id of a token as written in the vocabulary. */
  idOf(token: string): number | undefined;
}

/** A tokenizer that truncates to the model's maximum and never pads, because padding depends on the batch. */
export function openTokenizer(
  addon: TokenizersAddon,
  json: string,
  settings: TokenizerSettings,
): TextTokenizer {
  const tokenizer = loadRawTokenizer(addon, json);
  tokenizer.disablePadding();
  const { maxLength, truncationSide, truncatedText, maxFirst } = settings;
  tokenizer.setTruncation(maxLength, {
    direction: truncationSide,
    // A second text is split into windows instead, see `pair-window-tokenizer.ts`.
    ...(truncatedText === 'first' ? { strategy: 'OnlyFirst' } : {}),
  });
  /** Encodes only as much of a long text as is needed to fill the model's maximum. */
  const encode = async (text: string, options: EncodeOptions): Promise<Encoding> => {
    const prefixLimit = truncationSide === 'right' ? text.length : 0;
    for (let size = maxLength * CHARACTERS_PER_TOKEN; size < prefixLimit; size *= 4) {
      const encoding = await tokenizer.encode(startOf(text, size), null, options);
      if (isCut(encoding, maxLength)) return encoding;
    }
    return await tokenizer.encode(text, null, options);
  };
  const encodePair =
    maxFirst === undefined
      ? async (text: string, pair: string, options: EncodeOptions): Promise<Encoding> =>
          await tokenizer.encode(text, pair, options)
      : openPairEncoder(tokenizer, () => loadRawTokenizer(addon, json), settings, maxFirst);
  const encodePlain = createPlainEncoder(json, maxLength);
  return {
    async encode(inputs, { details, addSpecialTokens = true }) {
      const plainTexts = details ? undefined : encodePlain(inputs, addSpecialTokens);
      if (plainTexts) return plainTexts;
      const options = { addSpecialTokens };
      const one = ({ text, pair }: TextInput): Promise<Encoding> =>
        pair === undefined
          ? encode(text, options)
          : encodePair(text, pair, options).catch(refuseLongPair(pair, maxLength));
      const encodings = await (
        inputs.some(needsItsOwnCall(maxLength))
          ? Promise.all(inputs.map(one))
          : encodeTogether(tokenizer, inputs, options)
      ).catch(failed('Error during tokenization'));
      const isSecond = truncatedText === 'second' && inputs.some(({ pair }) => pair !== undefined);
      return await plainAll(encodings, maxLength, details && isSecond ? 'second' : details);
    },
    async decode(ids, skipSpecialTokens) {
      const rows = ids.map((row) => [...row]);
      return await tokenizer.decodeBatch(rows, skipSpecialTokens).catch(failed('Error during decoding'));
    },
    tokenOf: (id) => tokenizer.idToToken(id),
    idOf: (token) => tokenizer.tokenToId(token) ?? undefined,
  };
}

/**
 * Encodes pairs of which only the second text is truncated to the model's maximum, after the first
 * one has been truncated to `maxFirst` tokens. The library stores the truncation in a tokenizer and
 * cannot apply this one to single texts, so pairs have a tokenizer of their own.
 */
function openPairEncoder(
  single: RawTokenizer,
  load: () => RawTokenizer,
  { maxLength, truncationSide }: TokenizerSettings,
  maxFirst: number,
): (text: string, pair: string, options: EncodeOptions) => Promise<Encoding> {
  const open = lazy((): RawTokenizer => {
    const pairs = load();
    pairs.disablePadding();
    pairs.setTruncation(maxLength, { direction: truncationSide, strategy: 'OnlySecond' });
    return pairs;
  });
  const shorten = async (text: string): Promise<string> => {
    // A token represents at least one byte, so most texts do not have to be tokenized twice.
    if (Buffer.byteLength(text) <= maxFirst) return text;
    const offsets = (await single.encode(text, null, { addSpecialTokens: false })).getOffsets();
    const end = offsets[maxFirst - 1]?.[1];
    return offsets.length <= maxFirst || end === undefined ? text : startOfText(text, end);
  };
  return async (text, pair, options) => await open().encode(await shorten(text), pair, options);
}

/** Parses a tokenizer.json. */
export function loadRawTokenizer(addon: TokenizersAddon, json: string): RawTokenizer {
  try {
    return addon.Tokenizer.fromString(json);
  } catch (error) {
    return failed('Cannot load the tokenizer')(error);
  }
}

/** The library fails if the text to truncate is too short to make space for the other one. */
const refuseLongPair =
  (pair: string, maxLength: number) =>
  (error: unknown): never => {
    if (!messageOf(error).includes('too short')) throw error;
    const shown = pair.length > 60 ? `${startOf(pair, 60)}…` : pair;
    throw inputError(
      `${JSON.stringify(shown)} is too long: it is never truncated and must fit within this model's ${maxLength} tokens. Shorten it.`,
    );
  };

/** Explains a library error. */
export const failed =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof AppError) throw cause;
    throw new AppError('InternalError', `${what}: ${messageOf(cause)}`, { cause });
  };

/**
 * Far more than the length of words; a text with this many characters per token nearly always fills
 * the model's maximum.
 */
const CHARACTERS_PER_TOKEN = 32;

/** A batch starts the library's own threads, which takes longer than tokenizing a few texts one by one. */
const MAX_SEQUENTIAL_TEXTS = 4;

/** The library's batches do not support pairs. */
const needsItsOwnCall =
  (maxLength: number) =>
  ({ text, pair }: TextInput): boolean =>
    pair !== undefined || text.length > maxLength * CHARACTERS_PER_TOKEN;

function encodeTogether(
  tokenizer: RawTokenizer,
  inputs: readonly TextInput[],
  options: EncodeOptions,
): Promise<Encoding[]> {
  const texts = inputs.map(({ text }) => text);
  return texts.length <= MAX_SEQUENTIAL_TEXTS
    ? Promise.all(texts.map((text) => tokenizer.encode(text, null, options)))
    : tokenizer.encodeBatch(texts, options);
}

/** Returns the start of a text without splitting a surrogate pair. */
function startOf(text: string, size: number): string {
  const last = text.charCodeAt(size - 1);
  return text.slice(0, last >= 0xd8_00 && last < 0xdc_00 ? size - 1 : size);
}

const isCut = (encoding: Encoding, maxLength: number): boolean =>
  encoding.getLength() >= maxLength && encoding.getOverflowing().length > 0;

/** Number of tokens to copy from the library on the calling thread before yielding (under a millisecond). */
const TOKENS_AT_A_STRETCH = 1024;

async function plainAll(
  encodings: readonly Encoding[],
  maxLength: number,
  details: boolean | 'second',
): Promise<TokenizedText[]> {
  const texts: TokenizedText[] = [];
  let stretch = 0;
  for (const encoding of encodings) {
    if (stretch >= TOKENS_AT_A_STRETCH) {
      await new Promise((resolve) => setImmediate(resolve));
      stretch = 0;
    }
    const text = plain(encoding, maxLength, details);
    texts.push(text);
    stretch += text.ids.length;
  }
  return texts;
}

/** `details` of `second` are the details of a pair's second text, with the word of each token. */
function plain(encoding: Encoding, maxLength: number, details: boolean | 'second'): TokenizedText {
  const ids = Int32Array.from(encoding.getIds());
  const typeIds = Int32Array.from(encoding.getTypeIds());
  return {
    ids,
    typeIds: typeIds.some((id) => id !== 0) ? typeIds : undefined,
    truncated: isCut(encoding, maxLength),
    details: details
      ? {
          tokens: encoding.getTokens(),
          special:
            details === 'second'
              ? Uint8Array.from(encoding.getSequenceIds(), (id) => (id === 1 ? 0 : 1))
              : Uint8Array.from(encoding.getSpecialTokensMask()),
          words:
            details === 'second' ? Int32Array.from(encoding.getWordIds(), (word) => word ?? -1) : undefined,
          offsets: Uint32Array.from(encoding.getOffsets().flat()),
        }
      : undefined,
  };
}
