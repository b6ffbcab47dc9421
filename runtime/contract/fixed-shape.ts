/** Axes of a graph's inputs that its export fixed: every run has exactly these sizes, with padding. */
export interface FixedShape {
  /** Number of texts of a run; undefined if it is free. */
  readonly texts?: number;
  /** Number of tokens of each text, padding included; undefined if it is free. */
  readonly tokens?: number;
}
