import type { Cancellation } from '#core/limits/cancellation.ts';
import { sha256 } from '#platform/sha256.ts';
import type { MeaningItem, Meanings } from '../meanings/meanings.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type FoundItem, type SearchedTexts, type SearchKind, words } from './search-kinds.ts';

/** The meanings of items. */
export interface ItemMeanings {
  /** Returns how similar each item is to a query, or undefined if the encoder does not respond in time. */
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
  const known = new WeakMap<ShapeOfParams, MeaningItem>();
  const meaningOf = ({ server, item }: FoundItem, texts: SearchKind['texts']): MeaningItem => {
    const before = known.get(item);
    if (before) return before;
    const text = meaningText(texts(server, item));
    const made = { text, hash: sha256(text), isShared: !isPersonal(server) };
    known.set(item, made);
    return made;
  };
  return {
    similarities: (query, items, texts, signal) =>
      meanings.similarities(
        query,
        items.map((item) => meaningOf(item, texts)),
        signal,
      ),
    learn: (items, texts) => meanings.learn(items.map((item) => meaningOf(item, texts))),
  };
}

/** Maximum length of the description with the parameters; longer ones made results worse. */
const MAX_DESCRIPTION = 200;
/** Maximum length of a name or title. */
const MAX_NAME = 200;

/**
 * Returns the text of an item that is encoded: its name as words, its title and the start of its description,
 * which parameters follow if it is short.
 *
 * @internal Exported for tests only.
 */
export function meaningText({ name, title, description, parameters }: SearchedTexts): string {
  const spaced = words(name.slice(0, MAX_NAME)).join(' ');
  const content = `${plain(description)} ${plain(parameters)}`.trim().slice(0, MAX_DESCRIPTION);
  return [spaced, plain(title).slice(0, MAX_NAME), content].filter((part) => part !== '').join('. ');
}

/** Only the start of a text is needed, and white space could be longer than the rest. */
const plain = (text: string): string =>
  text
    .slice(0, 10 * MAX_DESCRIPTION)
    .trim()
    .replaceAll(/\s+/g, ' ');
