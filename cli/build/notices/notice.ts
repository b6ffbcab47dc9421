/** What an executable says about one piece of software inside it. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  readonly texts: readonly NoticeText[];
}

export interface NoticeText {
  /** The file that the text comes from. */
  readonly source: string;
  readonly text: string;
}
