import type { PaddedRows } from './pad-rows.ts';
import type { WordWindow } from './word-windows.ts';

/** A text or a pair of texts. */
export interface TextInput {
  readonly text: string;
  readonly pair?: string | undefined;
}

/**
 * A tokenized text, or an image, as plain data that can be sent to another thread. An image has a token
 * for each position that the model has for it.
 */
export interface TokenizedText {
  readonly ids: Int32Array;
  /** The file of an image, which the thread that runs the model decodes. */
  readonly image?: Uint8Array | undefined;
  /** For each token of a pair, the index of its text; undefined if there is only one text. */
  readonly typeIds?: Int32Array | undefined;
  /** Index of the model's adapter for this text; undefined for none. */
  readonly adapter?: number | undefined;
  /** Number of leading tokens that other tokens attend to; undefined if they attend to all tokens. */
  readonly attended?: number | undefined;
  /** Whether the text was truncated to the model's maximum. */
  readonly truncated: boolean;
  /** The windows of a text that exceeds the model's maximum, if the model reads long texts in windows. */
  readonly windows?: readonly TokenizedText[] | undefined;
  /** Only for windows: number of tokens, not counting those that the tokenizer added. */
  readonly weight?: number | undefined;
  /** The words of the text, for zero_shot_ner models. */
  readonly words?: TextWords | undefined;
  /** The entity types, for zero_shot_ner models with a second encoder. All texts of a run have the same ones. */
  readonly labels?: PaddedRows | undefined;
  /** Token details, if results contain tokens. */
  readonly details?: TokenDetails | undefined;
}

export interface TokenDetails {
  /** Tokens as written in the vocabulary: `##ing`, `Ġword`. */
  readonly tokens: readonly string[];
  /**
   * 1 if the tokenizer added the token ([CLS], [SEP], <s> ...), or if it is excluded from results
   * for another reason.
   */
  readonly special: Uint8Array;
  /**
   * Index of each token's word; -1 for tokens that are not part of a word or of the text that is
   * searched for answers.
   */
  readonly words?: Int32Array | undefined;
  /** Start and end of each token in the text, in Unicode code points. */
  readonly offsets: Uint32Array;
}

export interface TextWords {
  /** For each token, the number of its word, counted from 1; 0 for tokens that do not represent a word. */
  readonly mask: Int32Array;
  readonly count: number;
  /**
   * The text and its words; undefined for windows, because their results are merged by code that
   * has the text.
   */
  readonly source?: WordSource | undefined;
  /** The position of a window in its text. */
  readonly window?: WordWindow | undefined;
}

export interface WordSource {
  readonly text: string;
  /** Start and end of each word, in UTF-16 code units. */
  readonly offsets: Uint32Array;
}
