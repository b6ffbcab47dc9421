import { argmax } from './argmax.ts';
import { codePoints } from './code-points.ts';

/**
 * How the tokens of a word agree on a label: `simple` not at all, each token is by itself; `first` by its first token; `max` by
 * its surest one; `average` by the mean of their scores.
 */
export type AggregationStrategy = 'simple' | 'first' | 'average' | 'max';

export interface EntityToken {
  /** As the vocabulary writes it. */
  readonly token: string;
  readonly token_id: number;
  /** In Unicode code points of the text. */
  readonly start: number;
  readonly end: number;
  /** The probability of each label. */
  readonly scores: Float32Array;
}

export interface EntityGroup {
  /** The label without `B-` or `I-`. */
  readonly entity_group: string;
  /** Mean of the scores that its tokens, or words, have for the label. */
  readonly score: number;
  readonly start: number;
  readonly end: number;
  /** Its tokens, of which `wordOfEntity` makes a word. */
  readonly ids: readonly number[];
  /** What stands in the text for each of them that the vocabulary does not have. */
  readonly unknown: readonly string[];
}

/** What there is to know of a model for this. */
export interface EntityRules {
  readonly id2label: Readonly<Record<string, string>> | undefined;
  /** Whether the tokenizer marks tokens that continue a word (`continuing_subword_prefix`); if not, spaces tell words. */
  readonly marksSubwords: boolean;
  /** The token for what the vocabulary does not have: `[UNK]`. */
  readonly unknown?: { readonly id: number; readonly token: string } | undefined;
}

/**
 * Tokens, special ones left out, as the entities of the text, equal to what the token classification pipeline of Python's
 * transformers says of them (https://huggingface.co/docs/transformers/main_classes/pipelines).
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

/** The pipeline's `word`: what the tokenizer decodes the ids to, with the text itself where that says `[UNK]`. */
export function wordOfEntity(decoded: string, { unknown }: EntityGroup, rules: EntityRules): string {
  if (rules.unknown === undefined) return decoded;
  let next = 0;
  return decoded.replaceAll(rules.unknown.token, (token) => unknown[next++] ?? token);
}

const OUTSIDE = 'O';

/** Never empty. */
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

/** A token that is spelt otherwise than its piece of the text has a mark, as in `##ing`. */
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
  // In float32 at every step, as the pipeline adds, so that ties come out alike.
  average: (rows) =>
    rows.reduce((sum, row) => sum.map((value, at) => value + (row[at] ?? 0))).map((sum) => sum / rows.length),
};

/** Words beside each other with the same tag; `B-` starts anew, and a label without a prefix continues. */
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
    // Whatever stands before the first hyphen goes, a prefix or not.
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
