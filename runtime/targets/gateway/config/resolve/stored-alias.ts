import { didYouMean } from '#core/text/suggest.ts';
import { createValidate, type ValueValidator } from '#core/yaml/validate.ts';
import type { StoredAlias } from '../../accounts/registry/model-entries.ts';
import type { Alias, WeightedTarget } from '../../requests/routing/routing.ts';
import { parseModel } from '../../shared/model-string.ts';
import { type StoredAliasEntry, storedAlias } from '../schemas/stored-entries.ts';
import type { ConfiguredProvider, EntryOutcome } from '../stored-models.ts';
import { ENCODER } from './provider.ts';
import { resolveEvaluation } from './shadow.ts';
import { sentenceOf } from './stored-provider.ts';

interface KnownProviders {
  readonly providers: readonly ConfiguredProvider[];
  /** Names of all stored providers, including invalid ones. */
  readonly stored: readonly string[];
}

type ResolveAlias = (entry: StoredAlias, known: KnownProviders) => EntryOutcome<Alias>;

/** Returns the resolver for stored aliases. Targets without a provider are omitted, like targets that fail. */
export function createStoredAliases(): ResolveAlias {
  let compiled: ValueValidator | undefined;
  const validate: ValueValidator = (value, options) =>
    (compiled ??= createValidate(storedAlias, { fillsDefaults: false }))(value, options);
  return ({ name, settings }, known) => {
    const findings = validate(structuredClone(settings), { source: () => '' });
    if (findings.length > 0) return { status: 'invalid', problem: findings.map(sentenceOf).join(' ') };
    const entry = settings as StoredAliasEntry;
    const { targets, strategy, fallbacks = [] } = entry;
    const problems: string[] = [];
    const isServed = (model: string): boolean => {
      const problem = targetProblem(model, known);
      if (problem !== undefined) problems.push(problem);
      return problem === undefined;
    };
    const nameProblem = hijackProblem(name, known);
    if (nameProblem !== undefined) return { status: 'invalid', problem: nameProblem };
    const served = targets
      .map((target): WeightedTarget => (typeof target === 'string' ? { model: target } : target))
      .filter(({ model }) => isServed(model));
    const others = fallbacks.filter(isServed);
    const before = problems.length;
    const evaluation = resolveEvaluation(
      entry,
      [...served.map(({ model }) => model), ...others],
      (model) => targetProblem(model, known),
      (section, key, text) =>
        problems.push(ended(key === undefined ? `\`${section}\` ${text}` : `${section}.${key}: ${text}`)),
    );
    // An evaluation with a problem does not run, but the alias still works.
    const used = problems.length === before ? evaluation : {};
    const problem = problems.length === 0 ? null : problems.join(' ');
    if (served.length === 0) return { status: 'invalid', problem: problem ?? 'The alias has no targets.' };
    const value = {
      name,
      targets: served,
      ...(strategy && { strategy }),
      fallbacks: others,
      ...used,
    };
    return { status: 'active', value, problem };
  };
}

/** Several problems are shown one after the other. */
const ended = (problem: string): string => (/[.?]$/.test(problem) ? problem : `${problem}.`);

const namesOf = (providers: readonly ConfiguredProvider[], isEncoder: boolean): string[] =>
  providers.filter(({ type }) => (type === ENCODER) === isEncoder).map(({ name }) => name);

/** Why a model cannot be a target; undefined if it can. */
function targetProblem(text: string, { providers, stored }: KnownProviders): string | undefined {
  const model = parseModel(text);
  if (!model) return `Invalid model ${JSON.stringify(text)}: expected \`provider:model\`.`;
  const isEncoder = model.provider === ENCODER;
  const [name, known] = [
    isEncoder ? model.model.toLowerCase() : model.provider,
    namesOf(providers, isEncoder),
  ];
  if (known.includes(name)) return undefined;
  const noun = isEncoder ? 'encoder' : 'provider';
  if (stored.includes(name)) return `The ${noun} \`${name}\` in ${JSON.stringify(text)} is invalid.`;
  const hint = didYouMean(name, known);
  return `There is no ${noun} \`${name}\` for ${JSON.stringify(text)}${hint === '' ? '.' : hint}`;
}

/**
 * An alias must not look like a provider's model; otherwise, keys with a pattern such as `openai:*` could use
 * other models.
 */
function hijackProblem(name: string, { providers }: KnownProviders): string | undefined {
  const model = parseModel(name);
  if (!model) return undefined;
  const isProvider = model.provider === ENCODER || namesOf(providers, false).includes(model.provider);
  return isProvider
    ? `The name ${JSON.stringify(name)} is reserved for a model of the provider \`${model.provider}\`. Use a name without \`${model.provider}:\`.`
    : undefined;
}
