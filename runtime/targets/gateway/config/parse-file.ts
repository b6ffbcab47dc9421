import { type AppError, configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { Environment } from '#core/text/expand.ts';
import { describe, isMapping } from '#core/yaml/describe.ts';
import { type SchemaIssue, formatIssues } from '#core/yaml/issue.ts';
import { locate, sourceAt } from '#core/yaml/locate.ts';
import { parseYaml } from '#core/yaml/parse-yaml.ts';
import { createValidate, type ValueValidator } from '#core/yaml/validate.ts';
import { GATEWAY_FILE_SCHEMA, type GatewayFile } from './schemas/file.ts';
import { expandFile } from './expand-file.ts';

type Path = readonly string[];

/** A configuration file with variables expanded. */
export interface ParsedFile {
  /** The file without invalid values. */
  readonly value: GatewayFile;
  /** The file with invalid values. */
  readonly written: unknown;
  /** Whether a value contains a variable. */
  readonly isExpanded: (path: Path) => boolean;
  readonly findings: readonly SchemaIssue[];
  /** Combines all findings into one ConfigError, with the line and column of each. */
  readonly problems: (findings: readonly SchemaIssue[]) => AppError;
}

/** Parses the text of a configuration file. Throws a ConfigError if it is not valid YAML. */
export function parseFile(text: string, name: string, env: Environment): ParsedFile {
  const { doc, text: clean, value, issues, lines } = parseYaml(text);
  const problems = (findings: readonly SchemaIssue[]): AppError =>
    configError(formatIssues([...issues, ...findings.map((finding) => locate(doc, finding))], name, lines));
  if (value === undefined) throw problems([]);
  // An empty file is allowed.
  const file = value ?? {};
  if (!isMapping(file)) {
    const message = `expected a mapping with settings such as \`providers\`, found ${describe(file)}`;
    throw problems([{ path: [], at: 'value', message }]);
  }
  const expanded = expandFile(file, GATEWAY_FILE_SCHEMA, env);
  const hidden = (path: Path): string | undefined => {
    const written = expanded.written(path);
    if (written !== undefined) return `${JSON.stringify(written)} (value hidden)`;
    return isSecret(path) ? 'a hidden value' : undefined;
  };
  const validate = createValidate(GATEWAY_FILE_SCHEMA, { fillsDefaults: false });
  const source = (path: Path): string => sourceAt(doc, clean, path);
  const findings = [
    ...expanded.findings,
    // A text with an unset variable is reported once, and not again because its value is invalid.
    ...validate(expanded.value, { source, hidden }).filter(
      ({ path }) => !expanded.findings.some((before) => before.path.join('\n') === path.join('\n')),
    ),
  ];
  if (issues.length > 0 && findings.length === 0) throw problems([]);
  return {
    value: validPart(expanded.value, findings, validate),
    written: expanded.value,
    isExpanded: (path) => expanded.written(path) !== undefined,
    findings,
    problems,
  };
}

/** Removes invalid values repeatedly, because removing a required member makes its parent invalid. */
function validPart(value: unknown, findings: readonly SchemaIssue[], validate: ValueValidator): GatewayFile {
  const left = findings.reduce((rest, { path }) => without(rest, path), value);
  const more = findings.length === 0 ? [] : validate(left, { source: () => '' });
  return more.length === 0 ? (left as GatewayFile) : validPart(left, more, validate);
}

/**
 * Returns a copy of a value without the part at a path. If that part is a list item, the whole list is
 * removed, so that no index changes.
 */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return {};
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return rest.length > 0
      ? list.map((item, at) => (String(at) === key ? without(item, rest) : item))
      : undefined;
  }
  if (!isObject(value)) return value;
  const { [key]: member, ...others } = value;
  const left = rest.length === 0 ? undefined : without(member, rest);
  return left === undefined ? others : { ...others, [key]: left };
}

/** Whether messages must not contain the value. `headers` and `keys` are included because a value might mistakenly be a string. */
function isSecret(path: Path): boolean {
  return path.some((key) => /^(api_key|keys|master_key|database_url|headers|custom_headers)$/.test(key));
}
