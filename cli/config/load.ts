import { isScalar, Scalar } from 'yaml';
import { CONFIG_SCHEMA, type ConfigFile } from '#contract/config-schema.ts';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { UnfetchedConfig } from './build-config.ts';
import { checkPaths } from './check-paths.ts';
import { checkLongTexts, checkTruncation } from './check-long-texts.ts';
import { checkTransform } from './check-transform.ts';
import { checkSentence } from './check-sentence.ts';
import { checkTokenizer } from './check-tokenizer.ts';
import type { Environment } from '#core/text/expand.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { formatIssues } from '#core/yaml/issue.ts';
import { locate, nodeAt, sourceAt } from '#core/yaml/locate.ts';
import { parseYaml, type ParsedYaml } from '#core/yaml/parse-yaml.ts';
import { resolveConfig } from './resolve.ts';
import { checkTopLevel } from './top-level.ts';
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
        // Before defaults are filled in: it refuses a value that is the default of other model types.
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
  return resolveConfig((rest as ConfigFile).encoderfile, file, env, transformLine(yaml));
}

/** The line of the first line of an inline script; the text of a block scalar starts below its `|`. */
function transformLine({ doc, lines }: ParsedYaml): number {
  const node = nodeAt(doc, ['encoderfile', 'transform']);
  if (!node) return 0;
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
  return lines.linePos(node.range[0]).line + (isBlock ? 1 : 0);
}
