import { inputError } from '../../../contract/errors.ts';

/** A token's label, as `B-PER`, in its two parts. */
export interface Tag {
  /** One character. */
  readonly prefix: string;
  /** `_` where there is none, as in `B` or `O`. */
  readonly type: string;
}

/** Whatever the first character is, the type follows the first hyphen after it, or the character itself. */
export function tagOf(label: string): Tag {
  const prefix = String.fromCodePoint(label.codePointAt(0) ?? nothing());
  const rest = label.slice(prefix.length);
  return { prefix, type: rest.slice(rest.indexOf('-') + 1) || '_' };
}

function nothing(): never {
  throw inputError('A token has an empty label. Use the label "O" for tokens outside of spans.');
}
