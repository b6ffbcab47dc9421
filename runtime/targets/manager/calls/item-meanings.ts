import type { Cancellation } from '#core/limits/cancellation.ts';
import { sha256 } from '#platform/sha256.ts';
import type { MeaningItem, Meanings } from '../meanings/meanings.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { standardScores } from './standard-scores.ts';
import { type FoundItem, type SearchedTexts, type SearchKind, words } from './search-kinds.ts';

/** The meanings of items. */
export interface ItemMeanings {
  /**
   * Returns how similar each item is to a query, in standard deviations from the mean of all items, or undefined if the encoder does not
   * respond in time.
   */
  similarities(
    query: string,
    items: readonly FoundItem[],
    texts: SearchKind['texts'],
    signal?: Cancellation,
  ): Promise<readonly (number | undefined)[] | undefined>;
  /** Computes the vectors of new items in the background. */
  learn(items: readonly FoundItem[], texts: SearchKind['texts']): void;
}

/** `isPersonal` returns whether the lists of a server differ by user. */
export function createItemMeanings(
  meanings: Meanings,
  isPersonal: (server: string) => boolean,
): ItemMeanings {
  // Unchanged lists contain the same objects.
  const known = new WeakMap<ShapeOfParams, readonly MeaningItem[]>();
  const meaningsOf = ({ server, item }: FoundItem, texts: SearchKind['texts']): readonly MeaningItem[] => {
    const before = known.get(item);
    if (before) return before;
    const isShared = !isPersonal(server);
    const made = meaningTexts(texts(server, item)).map((text) => ({ text, hash: sha256(text), isShared }));
    known.set(item, made);
    return made;
  };
  return {
    async similarities(query, items, texts, signal) {
      const each = items.map((item) => meaningsOf(item, texts));
      const similarities = await meanings.similarities(query, each.flat(), signal);
      return similarities && combined(similarities, items.length);
    },
    learn: (items, texts) => meanings.learn(items.flatMap((item) => meaningsOf(item, texts))),
  };
}

/** Number of texts of an item. */
const TEXTS = 2;

/**
 * Returns the mean of the standard scores of an item's texts, because similarities to short and to long texts have different ranges. While
 * one of the vectors is unknown, the other one counts.
 */
function combined(
  similarities: readonly (number | undefined)[],
  count: number,
): readonly (number | undefined)[] {
  const byText = Array.from({ length: TEXTS }, (_, text) =>
    standardScores(Array.from({ length: count }, (_item, at) => similarities[at * TEXTS + text])),
  );
  return Array.from({ length: count }, (_, at) => {
    const scores = byText.flatMap((all) => all[at] ?? []);
    return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  });
}

/** Maximum length of the description with the parameters; longer ones made results worse. */
const MAX_DESCRIPTION = 200;
/** Maximum length of a name or title. */
const MAX_NAME = 200;

/** Maximum length of the first sentence of a description. */
const MAX_SENTENCE = 300;
/** Shorter parts, such as `1.`, are not sentences. */
const MIN_SENTENCE = 9;

/**
 * Returns the texts of an item that are encoded: its name as words, its title and the start of its description, which parameters follow if
 * it is short; and the first sentence of its description alone, because names contain words that queries do not have.
 *
 * @internal Exported for tests only.
 */
export function meaningTexts({ name, title, description, parameters }: SearchedTexts): readonly string[] {
  const spaced = words(name.slice(0, MAX_NAME)).join(' ');
  const content = `${plain(description)} ${plain(parameters)}`.trim().slice(0, MAX_DESCRIPTION);
  const whole = [spaced, plain(title).slice(0, MAX_NAME), content].filter((part) => part !== '').join('. ');
  return [whole, firstSentence(description).slice(0, MAX_SENTENCE) || spaced];
}

/** Returns the first sentence, or the text before the first list item; the whole text if all its parts are short. */
function firstSentence(text: string): string {
  const start = plain(text);
  return (
    start
      .split(/(?<=[.!?]) |(?<=[\u3002\uFF01\uFF1F])| [-*\u2022] /)
      .find((part) => part.length >= MIN_SENTENCE) ?? start
  );
}

/** Only the start of a text is needed, and white space could be longer than the rest. */
const plain = (text: string): string =>
  text
    .slice(0, 10 * MAX_DESCRIPTION)
    .trim()
    .replaceAll(/\s+/g, ' ');
