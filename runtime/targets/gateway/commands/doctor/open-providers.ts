import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { type Finding, problemFinding } from '#serve/cli/doctor/finding.ts';
import { openProvider } from '../../providers/adapters/open-provider.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../providers/adapters/provider.ts';

export interface OpenedProvider {
  readonly instance: ProviderInstance | EncoderProgram;
  readonly provider: Provider;
  /** The last line logged by a started executable. */
  readonly lastLine: () => string | undefined;
}

interface OpenedProviders {
  readonly opened: readonly OpenedProvider[];
  readonly findings: readonly Finding[];
}

/** Opens all providers, once per key, starting encoders with a `path`. A provider that cannot be opened becomes a finding. */
export function openProviders(instances: readonly (ProviderInstance | EncoderProgram)[]): OpenedProviders {
  const opened: OpenedProvider[] = [];
  const findings: Finding[] = [];
  for (const instance of instances.flatMap(byKey)) {
    let last: string | undefined;
    const onLine = (line: string): void => void (last = line);
    try {
      const provider = openProvider(withoutModels(instance), {
        clock: systemClock,
        random: Math.random,
        onLine,
      });
      opened.push({ instance, provider, lastLine: () => last });
    } catch (error) {
      findings.push(problemFinding(subjectOf(instance), messageOf(error)));
    }
  }
  return { opened, findings };
}

export const subjectOf = ({ type, name }: OpenedProvider['instance']): string =>
  `${type === 'encoder' ? 'encoder' : 'provider'} ${name}`;

/** A provider with several keys as one provider per key, because each key is checked. */
function byKey(instance: ProviderInstance | EncoderProgram): readonly (ProviderInstance | EncoderProgram)[] {
  if ('path' in instance || !instance.keys) return [instance];
  const { keys, ...others } = instance;
  return keys.map(({ name, apiKey }) => ({ ...others, name: `${instance.name}, key ${name}`, apiKey }));
}

/** Removes the configured model list, which would be used instead of requesting the provider's own list. */
const withoutModels = (instance: ProviderInstance | EncoderProgram): ProviderInstance | EncoderProgram =>
  'path' in instance ? instance : { ...instance, models: undefined };
