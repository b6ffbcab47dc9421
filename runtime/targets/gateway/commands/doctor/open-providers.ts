import { messageOf } from '../../../../contract/errors.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { type Finding, problem } from '../../../../serve/cli/doctor/finding.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../ask/providers/provider.ts';
import { openProvider } from '../../ask/providers/open-provider.ts';

export interface OpenedProvider {
  readonly instance: ProviderInstance | EncoderProgram;
  readonly provider: Provider;
  /** What a program that was started said last. */
  readonly said: () => string | undefined;
}

interface OpenedProviders {
  readonly opened: readonly OpenedProvider[];
  readonly findings: readonly Finding[];
}

/** Programs are started by it. */
export function openProviders(instances: readonly (ProviderInstance | EncoderProgram)[]): OpenedProviders {
  const opened: OpenedProvider[] = [];
  const findings: Finding[] = [];
  for (const instance of instances) {
    let last: string | undefined;
    const onLine = (line: string): void => void (last = line);
    try {
      const provider = openProvider(asked(instance), { clock: systemClock, random: Math.random, onLine });
      opened.push({ instance, provider, said: () => last });
    } catch (error) {
      findings.push(problem(nameOf(instance), messageOf(error)));
    }
  }
  return { opened, findings };
}

export const nameOf = ({ type, name }: OpenedProvider['instance']): string =>
  `${type === 'encoder' ? 'encoder' : 'provider'} ${name}`;

/** A list of models in the configuration must not stand in for the provider's answer. */
const asked = (instance: ProviderInstance | EncoderProgram): ProviderInstance | EncoderProgram =>
  'path' in instance ? instance : { ...instance, models: undefined };
