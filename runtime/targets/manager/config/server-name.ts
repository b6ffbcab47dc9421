import { trimOf } from '#core/text/trim-text.ts';

/** Normalizes a server name. */
export const serverName = (written: string): string => written.trim().toLowerCase();

/** Server names are used in URLs and in qualified tool names such as `server__tool`, so they cannot contain "__". */
const RULE =
  'Use at most 64 letters, digits, ".", "-" and single "_", starting and ending with a letter or digit';

/** Explains why a name is invalid; undefined if it is valid. */
export function nameProblem(written: string, of = 'server'): string | undefined {
  const name = serverName(written);
  if (/^[a-z\d]+(?:(?:[.-]+|_)[a-z\d]+)*$/.test(name) && name.length <= 64) return undefined;
  const usable = usableName(written);
  const example = usable === undefined ? '' : `, e.g. ${JSON.stringify(usable)}`;
  return `invalid ${of} name ${JSON.stringify(written)}. ${RULE}${example}.`;
}

/** Returns the most similar valid name, for imported servers. */
export function usableName(written: string): string | undefined {
  const separated = serverName(written)
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replaceAll(/[._-]+/g, (separators) => (separators.includes('_') ? '_' : separators));
  const name = trimOf(separated.slice(0, 64), '._-');
  return name === '' ? undefined : name;
}

/** Prefix of the environment variables reserved for a server. */
export const variablePrefix = (name: string): string =>
  `MCPD__${name.toUpperCase().replaceAll(/[^A-Z\d]/g, '_')}__`;
