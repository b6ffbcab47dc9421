/**
 * Whether a file name from the hub stays in its folder on every system: no absolute path, no `..`,
 * no drive, and no backslash, which separates folders on Windows.
 */
export const isSafePath = (path: string): boolean =>
  path.length <= MAX_LENGTH && path.split('/').every((part) => isSafePart(part));

const MAX_LENGTH = 1024;

const isSafePart = (part: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- names with them are rejected.
  part !== '' && part !== '.' && part !== '..' && !/[\u0000-\u001f\u007f\\:]/.test(part);
