/**
 * How texts and entity types are turned into the inputs of a zero_shot_ner model, and its output
 * into entities.
 */
export interface EntitySettings {
  /**
   * What the model scores: every span of words, or each word as the start, the end and the inside
   * of an entity.
   */
  readonly level: 'span' | 'word';
  /** Maximum number of words in a text; longer texts are read in windows. */
  readonly maxWords: number;
  /** Maximum number of words in an entity, for models that score spans. */
  readonly maxWidth: number;
  /** The token before each entity type. */
  readonly typeToken: string;
  /** The token between the entity types and the text. */
  readonly separatorToken: string;
  /** Which of a word's tokens represent it. */
  readonly tokensOfWord: 'first' | 'last' | 'all';
}
