import type { Alias, WeightedTarget } from '../../requests/routing/routing.ts';
import type { AliasEntry, TargetEntry } from '../schemas/routing.ts';
import type { Path, ResolveContext } from './context.ts';
import { type KnownNames, modelProblem } from './model-names.ts';

export function resolveAliases(
  context: ResolveContext,
  aliases: Readonly<Record<string, AliasEntry>>,
  names: KnownNames,
): Alias[] {
  const model = (path: Path, text: string): string => {
    const isAlias = Object.hasOwn(aliases, text);
    const problem = isAlias
      ? 'is an alias; list the models of that alias instead'
      : modelProblem(text, names);
    if (problem !== undefined) context.report(path, isAlias ? `${JSON.stringify(text)} ${problem}` : problem);
    return text;
  };
  const target = (path: Path, entry: TargetEntry): WeightedTarget =>
    typeof entry === 'string'
      ? { model: model(path, entry) }
      : { model: model([...path, 'model'], entry.model), weight: entry.weight };
  const targets = (path: Path, entries: readonly TargetEntry[]): WeightedTarget[] =>
    entries.map((entry, index) => target([...path, String(index)], entry));

  return Object.entries(aliases).map(([name, entry]) => {
    const path = ['aliases', name];
    if (name.trim() === '') context.report(path, 'an alias must have a name', 'key');
    if (typeof entry === 'string') return { name, targets: [target(path, entry)] };
    if (!('targets' in entry)) return { name, targets: targets(path, entry) };
    return {
      name,
      targets: targets([...path, 'targets'], entry.targets),
      ...(entry.strategy && { strategy: entry.strategy }),
      fallbacks: (entry.fallbacks ?? []).map((text, index) =>
        model([...path, 'fallbacks', String(index)], text),
      ),
    };
  });
}
