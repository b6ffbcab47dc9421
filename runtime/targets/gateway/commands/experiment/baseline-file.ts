import { configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { readText } from '#platform/read-text.ts';
import type { ComparedModel } from './assertions.ts';

/** Whether a baseline is a file rather than the ID of an experiment. */
export const isBaselineFile = (baseline: string): boolean => /\.json$/i.test(baseline);

/**
 * The models in a file written by `experiment run --json` or `experiment compare --json`. A repository can
 * contain it, so that a temporary gateway has a baseline. Throws a ConfigError.
 */
export async function readBaselineFile(path: string): Promise<readonly ComparedModel[]> {
  const file = await readText(path);
  if (!file) throw configError(`${path} does not exist.`);
  const models = modelsIn(file.text);
  if (models) return models;
  throw configError(
    `${path} is not a comparison of models. Create it with \`gateway experiment compare <id> --json > ${path}\`.`,
  );
}

function modelsIn(text: string): readonly ComparedModel[] | undefined {
  let content: unknown;
  try {
    content = parseJsonText(text);
  } catch {
    return undefined;
  }
  const models: unknown = isObject(content) ? content['workflows'] : undefined;
  return Array.isArray(models) && models.every(isModel) ? models : undefined;
}

/** Whether an item has the members that assertions read. */
const isModel = (one: unknown): one is ComparedModel =>
  isObject(one) &&
  typeof one['name'] === 'string' &&
  isObject(one['metrics']) &&
  Object.values(one['metrics']).every((metric) => isObject(metric) && typeof metric['value'] === 'number');
