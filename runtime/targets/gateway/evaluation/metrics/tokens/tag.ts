import { inputError } from '#contract/errors.ts';

/** The two parts of a token's label such as `B-PER`. */
export interface Tag {
  /** The prefix: one character. */
  readonly prefix: string;
  /** The type; `_` if there is none, as in `B` or `O`. */
  readonly type: string;
}

/** The type follows the first hyphen after the first character, or is the character itself. */
export function tagOf(label: string): Tag {
  const prefix = String.fromCodePoint(label.codePointAt(0) ?? nothing());
  const rest = label.slice(prefix.length);
  return { prefix, type: rest.slice(rest.indexOf('-') + 1) || '_' };
}

function nothing(): never {
  throw inputError('A token has an empty label. Use the label "O" for tokens outside of spans.');
}
