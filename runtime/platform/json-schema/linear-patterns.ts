import { compileLinearPattern, isFoundIn } from '../linear-pattern.ts';

/** Option `code.regExp` of ajv: `pattern` of a schema is searched in linear time, so that no text can block. */
export const LINEAR_PATTERNS = Object.assign(
  (source: string) => {
    const pattern = compileLinearPattern(source);
    // Ajv shares expressions with the same text.
    return { toString: () => source, test: (text: string): boolean => isFoundIn(pattern, text) };
  },
  { code: 'new RegExp' },
);
