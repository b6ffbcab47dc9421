import type { TokenizerSettings } from './tokenizer-settings.ts';

/**
 * How texts and entity types are converted to the inputs of a zero_shot_ner model, and the model's
 * output to entities.
 */
export type EntitySettings = EntityRules & (PromptLabels | EncodedLabels);

/** Entity types are a prompt before the text. */
interface PromptLabels {
  /** The token before each entity type. */
  readonly typeToken: string;
  /** The token between the entity types and the text. */
  readonly separatorToken: string;
  readonly labelTokenizer?: undefined;
}

/** A second encoder reads the entity types. */
interface EncodedLabels {
  /** Settings of the second encoder's tokenizer, which is the section `label-tokenizer`. */
  readonly labelTokenizer: TokenizerSettings;
  readonly typeToken?: undefined;
  readonly separatorToken?: undefined;
}

interface EntityRules {
  /**
   * What the model scores: every span of words, or for each word, whether it is the start, the end
   * or inside of an entity.
   */
  readonly level: 'span' | 'word';
  /** Maximum number of words in a text; longer texts are read in windows. */
  readonly maxWords: number;
  /** Maximum number of words in an entity; only used by models that score spans. */
  readonly maxWidth: number;
  /** Which of a word's tokens represent the word. */
  readonly tokensOfWord: 'first' | 'last' | 'all';
}
