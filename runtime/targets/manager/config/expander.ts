import { isInherited } from './child-environment.ts';
import { type Environment, expand } from '../../../core/text/expand.ts';
import { foreignVariables } from './isolation.ts';
import type { Path, Report } from './problems.ts';
import type { Redactions } from '../../../core/text/redactions.ts';

/** Puts variables into the texts of one server in one file; what is wrong with them is reported at their place. */
export interface Expander {
  text(key: string, text: string): string;
  texts(key: string, texts: readonly string[]): string[];
  record(key: string, record: Readonly<Record<string, string>>): Record<string, string>;
}

export interface ExpanderOptions {
  readonly server: string;
  /** Where the server stands in the file. */
  readonly path: Path;
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
    const tell = (message: string): void => {
      report([...path, ...keys], `server ${JSON.stringify(server)}: ${keys.join('.')}: ${message}`);
    };
    const foreign = foreignVariables(written, server);
    for (const name of foreign)
      tell(
        `${name} belongs to another server, or to the manager itself. Give this one a variable of its own.`,
      );
    if (foreign.length > 0) return '';
    const { text, used, problems } = expand(written, env);
    for (const problem of problems) tell(problem);
    // Every child sees those.
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
