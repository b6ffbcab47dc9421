/** A token that is found in a text before the text is split. */
export interface AddedToken {
  readonly content: string;
  readonly single_word: boolean;
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Whether it is searched in the normalized text. */
  readonly normalized: boolean;
  readonly special: boolean;
}

/** An added token with the flags that it has by default. */
export function addedToken(content: string, flags: Partial<Omit<AddedToken, 'content'>> = {}): AddedToken {
  const special = flags.special ?? false;
  return {
    content,
    single_word: flags.single_word ?? false,
    lstrip: flags.lstrip ?? false,
    rstrip: flags.rstrip ?? false,
    normalized: flags.normalized ?? !special,
    special,
  };
}
