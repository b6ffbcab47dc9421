/** The one spelling of a server's name. */
export const serverName = (written: string): string => written.trim().toLowerCase();

const RULE =
  'Names are letters, digits, ".", "-" and single "_" between them, at most 64 in all, because they are part of URLs and of tool names such as server__tool';

/** What is wrong with a name, or nothing. */
export function nameProblem(written: string): string | undefined {
  const name = serverName(written);
  if (/^[a-z\d]+(?:(?:[.-]+|_)[a-z\d]+)*$/.test(name) && name.length <= 64) return undefined;
  const usable = usableName(written);
  const wayOut = usable === undefined ? '' : ` Call it ${JSON.stringify(usable)}.`;
  return `${JSON.stringify(written)} cannot be the name of a server. ${RULE}.${wayOut}`;
}

/** The nearest name that may be used: for servers that come from elsewhere. */
export function usableName(written: string): string | undefined {
  const name = serverName(written)
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/[._-]*_[._-]*/g, '_')
    .slice(0, 64)
    .replaceAll(/^[._-]+|[._-]+$/g, '');
  return name === '' ? undefined : name;
}

/** Variables that belong to a server begin with this. */
export const variablePrefix = (name: string): string =>
  `MCPD__${name.toUpperCase().replaceAll(/[^A-Z\d]/g, '_')}__`;
