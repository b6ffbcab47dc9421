/** One page of a list. */
export interface ListPage {
  readonly skip: number;
  readonly limit: number;
}
