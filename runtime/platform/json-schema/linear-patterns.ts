import { compileLinearPattern, isFoundIn } from '../linear-pattern.ts';

/**
 * ajv's option `code.regExp`: a schema's `pattern` is searched in linear time, so that no text can
 * block the thread.
 */
export const LINEAR_PATTERNS = Object.assign(
  (source: string) => {
    const pattern = compileLinearPattern(source);
    // Ajv shares expressions with the same text.
    return { toString: () => source, test: (text: string): boolean => isFoundIn(pattern, text) };
  },
  { code: 'new RegExp' },
);
