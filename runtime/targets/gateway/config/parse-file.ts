import { type AppError, configError } from '../../../contract/errors.ts';
import type { Environment } from '../../../core/text/expand.ts';
import { describe, isMapping } from '../../../core/yaml/describe.ts';
import { type Finding, formatIssues } from '../../../core/yaml/issue.ts';
import { locate, sourceAt } from '../../../core/yaml/locate.ts';
import { parseYaml } from '../../../core/yaml/parse-yaml.ts';
import { createValidate, type Validate } from '../../../core/yaml/validate.ts';
import { GATEWAY_FILE_SCHEMA, type GatewayFile } from './schemas/file.ts';
import { expandFile } from './texts-in-file.ts';
import { withoutFindings } from './without-findings.ts';

type Path = readonly string[];

/** A file with its variables in place. */
export interface ParsedFile {
  /** Without what is wrong in it. */
  readonly value: GatewayFile;
  readonly written: unknown;
  /** Whether a value comes out of the environment. */
  readonly isExpanded: (path: Path) => boolean;
  readonly findings: readonly Finding[];
  /** One ConfigError for all findings, with the line and column of each. */
  readonly problems: (findings: readonly Finding[]) => AppError;
}

/** Reads the text of a configuration file. Throws a ConfigError if it is no YAML at all. Pure. */
export function parseFile(text: string, name: string, env: Environment): ParsedFile {
  const { doc, text: clean, value, issues, lines } = parseYaml(text);
  const problems = (findings: readonly Finding[]): AppError =>
    configError(formatIssues([...issues, ...findings.map((finding) => locate(doc, finding))], name, lines));
  if (value === undefined) throw problems([]);
  // An empty file says nothing, which is allowed.
  const file = value ?? {};
  if (!isMapping(file)) {
    const message = `expected a mapping with settings as \`providers\`, found ${describe(file)}`;
    throw problems([{ path: [], at: 'value', message }]);
  }
  const expanded = expandFile(file, GATEWAY_FILE_SCHEMA, env);
  const hidden = (path: Path): string | undefined => {
    const written = expanded.written(path);
    if (written !== undefined) return `${JSON.stringify(written)}, which stands for something else`;
    return isSecret(path) ? 'something else' : undefined;
  };
  const validate = createValidate(GATEWAY_FILE_SCHEMA);
  const source = (path: Path): string => sourceAt(doc, clean, path);
  const findings = [
    ...expanded.findings,
    // A text whose variables are not set is wrong enough.
    ...validate(expanded.value, { source, hidden }).filter(
      ({ path }) => !expanded.findings.some((before) => before.path.join('\n') === path.join('\n')),
    ),
  ];
  if (issues.length > 0 && findings.length === 0) throw problems([]);
  return {
    value: soundPart(expanded.value, findings, validate),
    written: expanded.value,
    isExpanded: (path) => expanded.written(path) !== undefined,
    findings,
    problems,
  };
}

/** What is left after taking out what is wrong can lack something in turn. */
function soundPart(value: unknown, findings: readonly Finding[], validate: Validate): GatewayFile {
  const left = withoutFindings(value, findings);
  const more = findings.length === 0 ? [] : validate(left, { source: () => '' });
  return more.length === 0 ? (left as GatewayFile) : soundPart(left, more, validate);
}

/** Values that may stand in no message, whatever is wrong with them: also headers written as one text. */
function isSecret(path: Path): boolean {
  return path.some((key) => /^(api_key|master_key|database_url|headers|custom_headers)$/.test(key));
}
