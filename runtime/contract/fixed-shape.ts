/**
 * Axes of a graph's inputs whose size is fixed by the export: every run has exactly these sizes,
 * with padding.
 */
export interface FixedShape {
  /** Number of texts per run; undefined if dynamic. */
  readonly texts?: number;
  /** Number of tokens per text, padding included; undefined if dynamic. */
  readonly tokens?: number;
}
