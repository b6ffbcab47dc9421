import { isMapping } from '#core/yaml/describe.ts';
import { lookup } from '#core/values/lookup.ts';

/** Classes of published code that the build reproduces and whose names do not start with their `model_type`. */
const OTHER_CLASSES = lookup<string>({ bert: 'jinabert' });

/**
 * Returns the class of a model's own Python code (`auto_map` in config.json) if it is not one of those that belong to the
 * model's `model_type`. Such a class can compute something else from the same settings and weights.
 */
export function foreignClass(modelType: string, autoMap: unknown): string | undefined {
  const names = Object.entries(isMapping(autoMap) ? autoMap : {}).flatMap(([name, code]) =>
    name.startsWith('AutoModel') && typeof code === 'string' ? (code.split('.').at(-1) ?? []) : [],
  );
  const known = [lettersOf(modelType), OTHER_CLASSES[modelType]];
  return names.find(
    (name) => !known.some((start) => start !== undefined && lettersOf(name).startsWith(start)),
  );
}

/** The letters and digits of a name, without the differences between `xlm-roberta` and `XLMRoberta`. */
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
