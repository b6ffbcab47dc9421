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
  /** Without a license, the template's `license` line remains a commented-out example. */
  readonly license?: string | undefined;
}

/**
 * Replaces the `'{{placeholders}}'` in a starter config. Their quotes only make the template valid
 * YAML and are replaced, too; values are quoted where necessary.
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

/** Lines of the template for optional fields. They are uncommented if the field has a value. */
const COMMENTED = /# (\w+: '\{\{(license|variant)\}\}')/g;

/** Formats a string as a YAML value on one line. The YAML library adds quotes if necessary. */
function quoted(text: string): string {
  return stringify({ k: text }, { lineWidth: 0, blockQuote: false }).slice('k: '.length, -1);
}
