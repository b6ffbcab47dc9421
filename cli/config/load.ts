import { isScalar, Scalar } from 'yaml';
import { CONFIG_SCHEMA, type BuildConfigFile, CONFIG_FIELDS } from '#contract/config-schema.ts';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { UnfetchedConfig } from './build-config.ts';
import {
  checkPaths,
  checkTransform,
  checkSentence,
  checkTokenizer,
  checkLongTexts,
  checkTruncation,
} from './check-fields.ts';
import type { Environment } from '#core/text/expand.ts';
import { isMapping, describe } from '#core/yaml/describe.ts';
import { formatIssues, type SchemaIssue } from '#core/yaml/issue.ts';
import { locate, nodeAt, sourceAt } from '#core/yaml/locate.ts';
import { parseYaml, type ParsedYaml } from '#core/yaml/parse-yaml.ts';
import { resolveBuildConfig } from './resolve.ts';
import { createValidate } from '#core/yaml/validate.ts';

/** Values of the command line that replace those of the file. */
interface Overrides {
  readonly modelType?: ModelType | undefined;
}

/**
 * Parses a build configuration. Throws one ConfigError with every problem of the file on its own line: `file:line:column  path:
 * message`.
 */
export function parseConfig(
  text: string,
  file: string,
  env: Environment,
  { modelType }: Overrides = {},
): UnfetchedConfig {
  const yaml = parseYaml(text);
  const { findings, rest } = yaml.value === undefined ? {} : checkTopLevel(yaml.value);
  const fields = rest?.['encoderfile'];
  // Before the checks, because the type decides which fields are valid.
  if (modelType !== undefined && isMapping(fields)) fields['model_type'] = modelType;
  const deeper = rest
    ? [
        // Before defaults are filled in: it rejects a value that is the default of other model types.
        ...checkTruncation(rest),
        ...createValidate(CONFIG_SCHEMA)(rest, { source: (path) => sourceAt(yaml.doc, yaml.text, path) }),
        ...checkPaths(rest, env),
        ...checkSentence(rest),
        ...checkTokenizer(rest),
        ...checkLongTexts(rest),
        ...checkTransform(rest),
      ]
    : [];
  const issues = [
    ...yaml.issues,
    ...[...(findings ?? []), ...deeper].map((finding) => locate(yaml.doc, finding)),
  ];
  if (issues.length > 0 || !rest) throw configError(formatIssues(issues, file, yaml.lines));
  return resolveBuildConfig((rest as BuildConfigFile).encoderfile, file, env, transformLine(yaml));
}

/** The line of the first line of an inline script; the text of a block scalar starts below its `|`. */
function transformLine({ doc, lines }: ParsedYaml): number {
  const node = nodeAt(doc, ['encoderfile', 'transform']);
  if (!node) return 0;
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
  return lines.linePos(node.range[0]).line + (isBlock ? 1 : 0);
}

/**
 * Detects mistakes that would make schema errors useless: a file that is not a mapping, or fields without indentation. `rest`
 * is validated normally.
 */
function checkTopLevel(value: unknown): {
  findings: SchemaIssue[];
  rest: Record<string, unknown> | undefined;
} {
  const refuse = (message: string) => ({
    findings: [{ path: [], at: 'value', message } as const],
    rest: undefined,
  });
  if (value === null || value === undefined)
    return refuse('the file is empty; expected a mapping with the key `encoderfile`');
  if (!isMapping(value))
    return refuse(`expected a mapping with the key \`encoderfile\`, found ${describe(value)}`);

  const [first, ...others] = Object.keys(value).filter((key) => CONFIG_FIELDS.includes(key));
  if (first === undefined) return { findings: [], rest: value };
  const names = [first, ...others].map((name) => `\`${name}\``).join(', ');
  const [verb, them] = others.length > 0 ? ['are', 'them'] : ['is', 'it'];
  const where = Object.hasOwn(value, 'encoderfile')
    ? 'under `encoderfile:`'
    : 'under a first line `encoderfile:`';
  const findings: SchemaIssue[] = [
    {
      path: [first],
      at: 'key',
      label: [],
      message: `${names} ${verb} at the top level; indent ${them} ${where}`,
    },
  ];
  const nested = value['encoderfile'];
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !CONFIG_FIELDS.includes(key)));
  return { findings, rest: isMapping(nested) ? rest : undefined };
}
