import { stringify } from 'yaml';
import { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { literalPath } from './expand.ts';

export interface StarterValues {
  readonly name: string;
  /** Path of the model folder, with `~` and `${` escaped. */
  readonly path: string;
  readonly modelType: ModelType;
  /** Which of the folder's graphs to use. */
  readonly variant?: string | undefined;
  /** Without a license, the template's line stays a comment with an example. */
  readonly license?: string | undefined;
}

/**
 * Fills the `'{{placeholders}}'` of a starter config. The quotes make the template valid YAML; each
 * value adds the quotes that it needs.
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

/** Lines for optional fields, present only if they have a value. */
const COMMENTED = /# (\w+: '\{\{(license|variant)\}\}')/g;

/** Formats the text as a value on one line; the YAML library chooses the quotes. */
function quoted(text: string): string {
  return stringify({ k: text }, { lineWidth: 0, blockQuote: false }).slice('k: '.length, -1);
}
