/** Formats a CSV record according to RFC 4180. Missing values become empty fields. */
export const csvLine = (fields: readonly (string | number | null | undefined)[]): string =>
  `${fields.map((field) => fieldOf(String(field ?? ''))).join(',')}\r\n`;

function fieldOf(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Spreadsheets execute fields that start like this, and fields can contain text from anyone. Only numbers
 * that start like this are harmless.
 */
const isFormula = (text: string): boolean =>
  /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?(e[+-]?\d+)?$/.test(text);
