import { didYouMean } from '#core/text/suggest.ts';
import { parseModel } from '../../shared/model-string.ts';

/**
 * All names in the file, including those of invalid entries, so that a mistake in an entry is not reported
 * again where the entry is used.
 */
export interface KnownNames {
  readonly providers: readonly string[];
  readonly encoders: readonly string[];
  readonly profiles: readonly string[];
  /** Each profile's keys, including those with invalid values. */
  readonly profileKeys: ReadonlyMap<string, readonly string[]>;
}

/** Returns why a string does not name a model of a configured provider; undefined if it does. */
export function modelProblem(text: string, { providers, encoders }: KnownNames): string | undefined {
  const model = parseModel(text);
  if (!model) return `expected \`provider:model\`, found ${JSON.stringify(text)}`;
  if (model.provider === 'encoder') {
    if (encoders.includes(model.model.toLowerCase())) return undefined;
    return `there is no encoder \`${model.model}\`${didYouMean(model.model, encoders)}`;
  }
  if (providers.includes(model.provider)) return undefined;
  const hint = didYouMean(model.provider, providers);
  return `there is no provider \`${model.provider}\`${hint || ' in `providers`'}`;
}
