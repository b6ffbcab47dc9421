/** A record of CSV, as RFC 4180 has it. What is not there is an empty field. */
export const csvLine = (fields: readonly (string | number | null | undefined)[]): string =>
  `${fields.map((field) => fieldOf(String(field ?? ''))).join(',')}\r\n`;

function fieldOf(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets run what begins like this, and what is in a field may come from anyone. Of such texts only numbers do nothing. */
const isFormula = (text: string): boolean =>
  /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?(e[+-]?\d+)?$/.test(text);
