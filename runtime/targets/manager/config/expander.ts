import { isInherited } from './child-environment.ts';
import { type Environment, expand } from '#core/text/expand.ts';
import type { ProblemPath, Report } from './problems.ts';
import { markReferences } from './user-references.ts';
import type { Redactions } from '#core/text/redactions.ts';
import { variablePrefix } from './server-name.ts';

/** Expands variables in one server's values in one file, and reports problems with the path of the value. */
export interface Expander {
  text(key: string, text: string): string;
  texts(key: string, texts: readonly string[]): string[];
  record(key: string, record: Readonly<Record<string, string>>): Record<string, string>;
}

export interface ExpanderOptions {
  readonly server: string;
  /** Path of the server within the file. */
  readonly path: ProblemPath;
  readonly env: Environment;
  readonly platform: string;
  readonly report: Report;
  readonly redactions: Redactions;
}

export function createExpander({
  server,
  path,
  env,
  platform,
  report,
  redactions,
}: ExpanderOptions): Expander {
  const text = (keys: readonly (string | number)[], written: string): string => {
    const reportProblem = (message: string): void => {
      report([...path, ...keys], `server ${JSON.stringify(server)}: ${keys.join('.')}: ${message}`);
    };
    const foreign = foreignVariables(written, server);
    for (const name of foreign)
      reportProblem(`${name} is reserved for another server or for the manager. Use another variable.`);
    if (foreign.length > 0) return '';
    const marked = markReferences(written, keys[0]);
    const { text, used, problems } = expand(marked.text, env);
    for (const problem of [...marked.problems, ...problems]) reportProblem(problem);
    // All servers can see inherited variables, so they are not secrets.
    for (const { name, value } of used)
      if (!isInherited(name, platform)) redactions.add(value, [name, String(keys.at(-1))], server);
    return text;
  };
  return {
    text: (key, written) => text([key], written),
    texts: (key, written) => written.map((item, index) => text([key, index], item)),
    record: (key, written) =>
      Object.fromEntries(Object.entries(written).map(([name, item]) => [name, text([key, name], item)])),
  };
}

/**
 * Returns the variables in a text that are reserved for other servers or for the manager. This includes
 * `$(NAME)`: it is not expanded here, but a program that receives the text could expand it.
 */
function foreignVariables(text: string, server: string): string[] {
  const own = variablePrefix(server);
  const names = text
    .replaceAll('$$', '')
    .matchAll(/\$[{(]?((?:MCPD|MCP_MANAGER)_\w+)/g)
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith(own));
  return [...new Set(names)];
}
