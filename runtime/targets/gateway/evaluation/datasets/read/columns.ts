import { inputError } from '#contract/errors.ts';
import { MAX_COLUMNS, MAX_COLUMN_NAME_CHARACTERS } from './limits.ts';

/** Validates column names. Throws an InputError. */
export function checkColumns(names: readonly string[]): readonly string[] {
  if (names.length > MAX_COLUMNS) {
    throw inputError(`The dataset has ${names.length} columns; the maximum is ${MAX_COLUMNS}.`);
  }
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '')
      throw inputError(`Column ${index + 1} of the dataset has no name. Add a name in the first line.`);
    if (name.length > MAX_COLUMN_NAME_CHARACTERS) {
      throw inputError(
        `The name of column ${index + 1} has ${name.length} characters; the maximum is ${MAX_COLUMN_NAME_CHARACTERS}. Is the first line a header?`,
      );
    }
    if (seen.has(name)) {
      throw inputError(`The dataset has two columns named ${JSON.stringify(name)}; rename or remove one.`);
    }
    seen.add(name);
  }
  return names;
}
