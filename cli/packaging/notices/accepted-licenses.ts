/** SPDX identifiers of licenses that allow executables to be redistributed with their notices. */
export const ACCEPTED_LICENSES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
];

const TOKEN = /[()]|[^\s()]+/g;

/** Whether accepted licenses alone satisfy an SPDX expression: all parts of an AND, one part of an OR. */
export function isAcceptedLicense(expression: string): boolean {
  const tokens = expression.match(TOKEN) ?? [];
  let at = 0;
  const take = (token: string): boolean => {
    if (tokens[at] !== token) return false;
    at += 1;
    return true;
  };
  const single = (): boolean => {
    if (take('(')) {
      const inner = anyOf();
      return take(')') && inner;
    }
    const license = tokens[at] ?? '';
    at += 1;
    return ACCEPTED_LICENSES.includes(license);
  };
  const allOf = (): boolean => {
    let isAccepted = single();
    while (take('AND')) isAccepted = single() && isAccepted;
    return isAccepted;
  };
  const anyOf = (): boolean => {
    let isAccepted = allOf();
    while (take('OR')) isAccepted = allOf() || isAccepted;
    return isAccepted;
  };
  const isAccepted = anyOf();
  // The remaining text is not an SPDX expression, for example "MIT and others".
  return isAccepted && at === tokens.length;
}
