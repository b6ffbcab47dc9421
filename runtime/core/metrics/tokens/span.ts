/** A named piece of a row: of its tokens, or of its text. `end` is the first position after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}
