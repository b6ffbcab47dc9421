/** A page of a list. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}
