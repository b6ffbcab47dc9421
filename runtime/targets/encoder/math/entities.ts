import { argmax } from '#core/numbers/argmax.ts';
import { codePoints } from '#core/text/code-points.ts';

/**
 * How the label of a word is determined from its tokens. `simple`: each token is treated
 * separately; `first`: by the first token; `max`: by the token with the highest score; `average`:
 * by the mean of the scores.
 */
export type AggregationStrategy = 'simple' | 'first' | 'average' | 'max';

export interface EntityToken {
  /** Token as written in the vocabulary. */
  readonly token: string;
  readonly token_id: number;
  /** Offset in the text, in Unicode code points. */
  readonly start: number;
  readonly end: number;
  /** Probability of each label. */
  readonly scores: Float32Array;
}

export interface EntityGroup {
  /** Label without its `B-` or `I-` prefix. */
  readonly entity_group: string;
  /** Mean score of the label over the entity's tokens or words. */
  readonly score: number;
  readonly start: number;
  readonly end: number;
  /** Token ids from which `wordOfEntity` builds a word. */
  readonly ids: readonly number[];
  /** The original text of each unknown token. */
  readonly unknown: readonly string[];
}

/** Properties of a model that affect aggregation. */
export interface EntityRules {
  readonly id2label: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the tokenizer marks tokens that continue a word (`continuing_subword_prefix`); otherwise, spaces separate words.
   */
  readonly marksSubwords: boolean;
  /** The token for unknown words: `[UNK]`. */
  readonly unknown?: { readonly id: number; readonly token: string } | undefined;
}

/**
 * Aggregates tokens (excluding special tokens) into entities, with the same results as
 * transformers' token classification pipeline
 * (https://huggingface.co/docs/transformers/main_classes/pipelines).
 */
export function aggregateEntities(
  tokens: readonly EntityToken[],
  strategy: AggregationStrategy,
  text: string,
  rules: EntityRules,
): EntityGroup[] {
  const characters = Array.from(text);
  const words = strategy === 'simple' ? tokens.map((token) => [token]) : wordsOf(tokens, characters, rules);
  const labelled = words.map((word) => label(word, strategy, rules));
  return groupsOf(labelled)
    .map((group) => entityOf(group, characters, rules))
    .filter((entity) => entity.entity_group !== OUTSIDE);
}

/** The pipeline's `word`: the decoded token ids, with the original text instead of `[UNK]`. */
export function wordOfEntity(decoded: string, { unknown }: EntityGroup, rules: EntityRules): string {
  if (rules.unknown === undefined) return decoded;
  let next = 0;
  return decoded.replaceAll(rules.unknown.token, (token) => unknown[next++] ?? token);
}

const OUTSIDE = 'O';

/** The tokens of a word; never empty. */
type Word = readonly EntityToken[];

interface LabelledWord {
  readonly word: Word;
  readonly label: string;
  readonly score: number;
}

function wordsOf(tokens: readonly EntityToken[], characters: readonly string[], rules: EntityRules): Word[] {
  const continues = rules.marksSubwords ? isShortened : afterNoSpace(characters);
  const words: EntityToken[][] = [];
  for (const token of tokens) {
    const word = words.at(-1);
    if (word && token.token_id !== rules.unknown?.id && continues(token)) word.push(token);
    else words.push([token]);
  }
  return words;
}

/** If the length of a token differs from its original text, the token has a prefix, as in `##ing`. */
const isShortened = ({ token, start, end }: EntityToken): boolean => codePoints(token) !== end - start;

const afterNoSpace =
  (characters: readonly string[]) =>
  ({ start }: EntityToken): boolean =>
    start > 0 && characters[start - 1] !== ' ' && characters[start] !== ' ';

function label(word: Word, strategy: AggregationStrategy, { id2label }: EntityRules): LabelledWord {
  const scores = SCORES_OF_WORD[strategy](word.map((token) => token.scores));
  const index = argmax(scores);
  return { word, label: id2label?.[index] ?? String(index), score: scores[index] ?? 0 };
}

type Rows = readonly Float32Array[];

const first = (rows: Rows): Float32Array => rows[0] ?? new Float32Array();
const best = (row: Float32Array): number => row[argmax(row)] ?? 0;

const SCORES_OF_WORD: Record<AggregationStrategy, (rows: Rows) => Float32Array> = {
  simple: first,
  first,
  max: (rows) => rows.reduce((surest, row) => (best(row) > best(surest) ? row : surest)),
  // Rounded to float32 at every step, like in the pipeline, so that ties are resolved identically.
  average: (rows) =>
    rows.reduce((sum, row) => sum.map((value, at) => value + (row[at] ?? 0))).map((sum) => sum / rows.length),
};

/**
 * Groups adjacent words with the same tag. `B-` starts a new group, and a label without a prefix
 * continues one.
 */
function groupsOf(words: readonly LabelledWord[]): LabelledWord[][] {
  const groups: LabelledWord[][] = [];
  for (const word of words) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && !word.label.startsWith('B-') && tagOf(word) === tagOf(last)) group.push(word);
    else groups.push([word]);
  }
  return groups;
}

const tagOf = ({ label }: LabelledWord): string => label.replace(/^[BI]-/, '');

function entityOf(
  group: readonly LabelledWord[],
  characters: readonly string[],
  { unknown }: EntityRules,
): EntityGroup {
  const tokens = group.flatMap(({ word }) => word);
  const label = group[0]?.label ?? OUTSIDE;
  return {
    // Removes everything up to the first hyphen, even if that part is not a `B-` or `I-` prefix.
    entity_group: label.slice(label.indexOf('-') + 1),
    score: group.reduce((sum, { score }) => sum + score, 0) / group.length,
    start: tokens[0]?.start ?? 0,
    end: tokens.at(-1)?.end ?? 0,
    ids: tokens.map(({ token_id }) => token_id),
    unknown: tokens
      .filter(({ token_id }) => token_id === unknown?.id)
      .map(({ start, end }) => characters.slice(start, end).join('')),
  };
}
