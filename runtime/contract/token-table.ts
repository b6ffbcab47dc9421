/**
 * Values of the build setting for static forms: which forms of the model the file contains. `static` is
 * only the static form, `both` is the model and its static form.
 */
export const DISTILL_FORMS = ['none', 'static', 'both'] as const;
export type DistillForm = (typeof DISTILL_FORMS)[number];

/** Types of the numbers in a token table, and their sizes in bytes. */
export const TABLE_ELEMENTS = { float32: 4, float16: 2, int8: 1 } as const;
export type TableElement = keyof typeof TABLE_ELEMENTS;

/**
 * The table of a static model, which has one vector per token instead of a graph: the vector of a text
 * is the mean of the vectors of its tokens. The section `weights` contains the rows, then the weights
 * of tokens as float32, then the mapping as int32, each starting at a multiple of 4 bytes.
 */
export interface TokenTableSettings {
  readonly rows: number;
  readonly elements: TableElement;
  /** Whether each token has a weight by which its vector is multiplied. */
  readonly hasWeights: boolean;
  /** Whether a mapping states the row of each token. Otherwise, a token's id is the number of its row. */
  readonly hasMapping: boolean;
  /** A token that the mean does not include. */
  readonly skipped?: number;
  /**
   * For a table that the build made from an encoder: the average share of a text's ten nearest texts that
   * are also its nearest texts with the encoder, and the number of texts.
   */
  readonly distilled?: { readonly neighbors: number; readonly texts: number };
}
