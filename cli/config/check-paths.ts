import { isMapping } from '#core/yaml/describe.ts';
import type { Environment } from '#core/text/expand.ts';
import { expandPath, expansionProblems } from './expand.ts';
import { hubReferenceProblem, isHubReference } from './hub-reference.ts';
import type { Finding } from '#core/yaml/issue.ts';

/** Checks that a schema cannot express: unset variables, and a Lua file name in place of a script. */
export function checkPaths(value: Readonly<Record<string, unknown>>, env: Environment): Finding[] {
  const texts = PATHS.map((path) => ({ path, text: textAt(value, path) }));
  const findings = texts.flatMap(({ path, text }) =>
    expansionProblems(text ?? '', env).map((message): Finding => ({ path, at: 'value', message })),
  );
  const reference = expandPath(textAt(value, MODEL) ?? '', env);
  const problem = isHubReference(reference) ? hubReferenceProblem(reference) : undefined;
  if (problem !== undefined && findings.length === 0)
    findings.push({ path: MODEL, at: 'value', message: problem });
  if (textAt(value, VARIANT) !== undefined && isMapping(at(value, ['encoderfile', 'path']))) {
    const message = 'requires `path` to be a folder, but it is a mapping of files; remove one of them';
    findings.push({ path: VARIANT, at: 'key', message });
  }
  const script = textAt(value, TRANSFORM);
  if (script === undefined || !LUA_FILE.test(script)) return findings;
  const message = `the value is Lua source; for a file, write \`transform: {path: ${JSON.stringify(script)}}\``;
  return [...findings, { path: TRANSFORM, at: 'value', message }];
}

const MODEL = ['encoderfile', 'path'];
const TRANSFORM = ['encoderfile', 'transform'];
const VARIANT = ['encoderfile', 'variant'];
/** One word ending in `.lua`: never a valid script, but a common mistake in first config files. */
const LUA_FILE = /^[^\s()=]+\.lua$/;

const PATHS = [
  ['path'],
  ['path', 'model_config_path'],
  ['path', 'model_weights_path'],
  ['path', 'tokenizer_path'],
  ['path', 'tokenizer_config_path'],
  ['output_path'],
  ['cache_dir'],
  ['base_binary_path'],
  ['transform', 'path'],
].map((path) => ['encoderfile', ...path]);

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = at(value, path);
  return typeof found === 'string' ? found : undefined;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, key) => (isMapping(node) ? node[key] : undefined), value);
