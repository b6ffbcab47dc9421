/** Notice for one piece of software in an executable. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** License as an SPDX expression. */
  readonly license: string;
  readonly texts: readonly NoticeText[];
}

export interface NoticeText {
  /** The file that the text comes from. */
  readonly source: string;
  readonly text: string;
}
