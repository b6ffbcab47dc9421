/** A labeled range of a row: of its tokens, or of its text. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}
