import { stringify } from 'yaml';
import { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { literalPath } from './expand.ts';

export interface StarterValues {
  readonly name: string;
  /** Path of the model folder on disk; `~` and `${` in it are escaped. */
  readonly path: string;
  readonly modelType: ModelType;
  /** Which graph of the folder to use. */
  readonly variant?: string | undefined;
  /** Without a license, its line stays a comment with an example. */
  readonly license?: string | undefined;
}

/**
 * Fills the `'{{placeholders}}'` of a starter config. Their quotes make the template valid YAML; a value brings the quotes that
 * it needs.
 */
export function renderConfig(template: string, values: StarterValues): string {
  const texts = new Map([
    ['name', values.name],
    ['path', literalPath(values.path)],
    ['model_type', values.modelType],
    ['license', values.license ?? 'apache-2.0'],
    ['variant', values.variant ?? 'fp16'],
  ]);
  const used = template.replaceAll(COMMENTED, (line, field: string, key: 'license' | 'variant') =>
    values[key] === undefined ? line : field,
  );
  return used.replaceAll(/'\{\{(\w+)\}\}'/g, (placeholder, key: string) => {
    const text = texts.get(key);
    if (text === undefined)
      throw new AppError('InternalError', `Unknown placeholder ${placeholder} in the template`);
    return quoted(text);
  });
}

/** Lines of fields that are only set if there is a value. */
const COMMENTED = /# (\w+: '\{\{(license|variant)\}\}')/g;

/** Writes the text as a value on one line, so that the library chooses quotes for that position. */
function quoted(text: string): string {
  return stringify({ k: text }, { lineWidth: 0, blockQuote: false }).slice('k: '.length, -1);
}
