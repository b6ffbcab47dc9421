import { stringify } from 'yaml';
import { AppError } from '../../runtime/contract/errors.ts';
import type { ModelType } from '../../runtime/contract/model-types.ts';
import { literalPath } from './expand.ts';

export interface StarterValues {
  readonly name: string;
  /** The model folder as it is on disk; `~` and `${` in it are escaped. */
  readonly path: string;
  readonly modelType: ModelType;
}

/**
 * Fills the `'{{placeholders}}'` of a starter config. Their quotes make the template itself YAML;
 * a value brings the quotes that it needs.
 */
export function renderConfig(template: string, values: StarterValues): string {
  const texts = new Map([
    ['name', values.name],
    ['path', literalPath(values.path)],
    ['model_type', values.modelType],
  ]);
  return template.replaceAll(/'\{\{(\w+)\}\}'/g, (placeholder, key: string) => {
    const text = texts.get(key);
    if (text === undefined)
      throw new AppError('InternalError', `The template has an unknown placeholder ${placeholder}`);
    return quoted(text);
  });
}

/** On one line and in its place as a value, so that the library quotes for just that place. */
function quoted(text: string): string {
  return stringify({ k: text }, { lineWidth: 0, blockQuote: false }).slice('k: '.length, -1);
}
