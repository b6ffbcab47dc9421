import { inputError } from '../../../../../contract/errors.ts';
import { MOST_COLUMNS, MOST_NAME_CHARACTERS } from './limits.ts';

/** The names of columns, if they can be told apart. Throws an InputError. */
export function checkColumns(names: readonly string[]): readonly string[] {
  if (names.length > MOST_COLUMNS) {
    throw inputError(`The dataset has ${names.length} columns; the most is ${MOST_COLUMNS}.`);
  }
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '')
      throw inputError(`Column ${index + 1} of the dataset has no name; give it one in the first line.`);
    if (name.length > MOST_NAME_CHARACTERS) {
      throw inputError(
        `The name of column ${index + 1} has ${name.length} characters; the most is ${MOST_NAME_CHARACTERS}. Is the first line a header?`,
      );
    }
    if (seen.has(name)) {
      throw inputError(`The dataset has two columns named ${JSON.stringify(name)}; rename or remove one.`);
    }
    seen.add(name);
  }
  return names;
}
