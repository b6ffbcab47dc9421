import { configError } from '#contract/errors.ts';

/** The parts of a prompt that are the same for all texts. Each part is tokenized by itself. */
export interface TextFrame {
  readonly before: readonly string[];
  /** What stands between the two texts of a pair. */
  readonly between?: string;
  readonly after: readonly string[];
  /** Maximum number of tokens in the published code. */
  readonly maxTokens: number;
  /** The parts that are not included in this maximum. */
  readonly uncounted: readonly ('before' | 'after')[];
}

/** A tokenizer that adds no special tokens. */
interface PlainTokenizer {
  readonly tokenOf: (id: number) => string | undefined;
  encode(texts: readonly string[]): Promise<number[][]>;
}

interface FramedTokenizer<Json> {
  /** The tokenizer whose post-processor adds the frame. */
  readonly content: Json;
  /** The numbers of tokens in each part. */
  readonly counts: Readonly<Record<Part, number>>;
}

type Part = (typeof PARTS)[number];
const PARTS = ['before', 'between', 'after'] as const;

/**
 * Puts a prompt around the texts of a tokenizer. The tokens of the prompt are special tokens, so
 * truncation always leaves room for them.
 */
export async function frameTexts<Json extends object>(
  content: Json,
  { before, between, after }: TextFrame,
  plain: PlainTokenizer,
): Promise<FramedTokenizer<Json>> {
  const texts = { before, between: between === undefined ? [] : [between], after };
  const encoded = await Promise.all(
    PARTS.map(async (part) => (texts[part].length === 0 ? [] : (await plain.encode(texts[part])).flat())),
  );
  const [start = [], middle = [], end = []] = encoded;
  const special = { before: start, between: middle, after: end };
  const piece = (part: Part): object[] =>
    special[part].length === 0 ? [] : [{ SpecialToken: { id: idOf(part), type_id: 0 } }];
  const text = (id: 'A' | 'B'): object => ({ Sequence: { id, type_id: 0 } });
  return {
    content: {
      ...content,
      post_processor: {
        type: 'TemplateProcessing',
        single: [...piece('before'), text('A'), ...piece('after')],
        pair: [...piece('before'), text('A'), ...piece('between'), text('B'), ...piece('after')],
        special_tokens: Object.fromEntries(
          PARTS.filter((part) => special[part].length > 0).map((part) => [
            idOf(part),
            {
              id: idOf(part),
              ids: special[part],
              tokens: special[part].map((id) => plain.tokenOf(id) ?? ''),
            },
          ]),
        ),
      },
    },
    counts: { before: start.length, between: middle.length, after: end.length },
  };
}

/** The name of a part in the post-processor, which is not a token. */
const idOf = (part: Part): string => `prompt ${part}`;

interface FrameLengths {
  /** Maximum number of tokens, including the prompt. */
  readonly maxLength: number;
  /** Maximum number of tokens of a pair's first text, if the tokenizer reads pairs. */
  readonly maxFirst?: number;
}

/**
 * Limits a tokenizer to the maximum number of tokens in the published code, which truncates the
 * first text of a pair to three quarters of it. `isChosen` states whether the config sets `possible`.
 */
export function frameLengths(
  { maxTokens, uncounted, between }: TextFrame,
  counts: FramedTokenizer<unknown>['counts'],
  possible: number,
  isChosen: boolean,
): FrameLengths {
  const added = uncounted.reduce((sum, part) => sum + counts[part], 0);
  const maxLength = isChosen ? possible : Math.min(possible, maxTokens + added);
  const needed = counts.before + counts.between + counts.after;
  // Both texts of a pair need at least a few tokens.
  if (maxLength < needed + MIN_ROOM) {
    throw configError(
      `\`max_length\` is ${maxLength}, but the prompt of this reranker has ${needed} tokens. Set \`max_length\` to ${needed + MIN_ROOM} or more.`,
    );
  }
  if (between === undefined) return { maxLength };
  const room = maxLength - needed;
  return { maxLength, maxFirst: Math.min(Math.floor(((maxLength - added) * 3) / 4), room - 1) };
}

const MIN_ROOM = 8;
