/**
 * Formats an error for output with --json, in the same way in all programs: one document, which
 * also contains the result if there is one.
 */
export const errorJson = (error: { code: string; message: string }, result: object = {}): string =>
  `${JSON.stringify({ ...result, error: { code: error.code, message: error.message } }, undefined, 2)}\n`;
