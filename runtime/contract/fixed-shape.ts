/**
 * Sizes of a graph's inputs that the export has fixed. Every run must have exactly these sizes, so
 * inputs are padded.
 */
export interface FixedShape {
  /** Number of texts per run; undefined if it can vary. */
  readonly texts?: number;
  /** Number of tokens per text, including padding; undefined if it can vary. */
  readonly tokens?: number;
}
