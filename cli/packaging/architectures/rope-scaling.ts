import { lookup } from '#core/values/lookup.ts';
import type { ConfigReader } from './config-reader.ts';
import type { RotaryOptions } from './rotary.ts';

/** How a rotation is adjusted to texts that are longer than those of a model's first training. */
type RopeScaling = Pick<RotaryOptions, 'rescale' | 'magnitude'>;

interface Settings {
  readonly config: ConfigReader;
  /** The values of `rope_scaling`, or of `rope_parameters` in configs of transformers 5. */
  readonly parameters: ConfigReader;
  readonly base: number;
  /** Number of rotated values per head. */
  readonly width: number;
}

/** The settings of `rope_scaling` or `rope_parameters` in config.json; empty if the rotation is not scaled. */
export function ropeScaling(config: ConfigReader, base: number, width: number): RopeScaling {
  const isOlder = (config.value('rope_scaling') ?? undefined) !== undefined;
  const parameters = config.under(isOlder ? 'rope_scaling' : 'rope_parameters');
  for (const key of ['rope_type', 'type']) parameters.refuseUnless(key, Object.keys(TYPES));
  parameters.refuseUnless('partial_rotary_factor', [1]);
  const scale = TYPES[parameters.text(['rope_type', 'type'], 'default')];
  return scale ? scale({ config, parameters, base, width }) : {};
}

/** All frequencies are divided by the same factor. */
function linear({ parameters }: Settings): RopeScaling {
  const factor = parameters.requiredNumber('factor');
  return { rescale: (frequency) => frequency / factor };
}

/** Low frequencies are divided by a factor, high ones stay, and those between are interpolated. */
function llama3({ config, parameters }: Settings): RopeScaling {
  const factor = parameters.requiredNumber('factor');
  const low = parameters.requiredNumber('low_freq_factor');
  const high = parameters.requiredNumber('high_freq_factor');
  const length = originalLength(config, parameters);
  return {
    rescale: (frequency) => {
      const rotations = (length * frequency) / (2 * Math.PI);
      if (rotations > high) return frequency;
      if (rotations < low) return frequency / factor;
      const part = (rotations - low) / (high - low);
      return ((1 - part) * frequency) / factor + part * frequency;
    },
  };
}

/** As `llama3`, but interpolates by the index of a pair, and scales the rotated values. */
function yarn({ config, parameters, base, width }: Settings): RopeScaling {
  const factor = parameters.requiredNumber('factor');
  const length = originalLength(config, parameters);
  const indexOf = (rotations: number): number =>
    (width * Math.log(length / (rotations * 2 * Math.PI))) / (2 * Math.log(base));
  const isTruncated = parameters.flag('truncate', true);
  // As in transformers, 0 stands for the default.
  const fast = indexOf(parameters.number('beta_fast', 0) || 32);
  const slow = indexOf(parameters.number('beta_slow', 0) || 1);
  const from = Math.max(isTruncated ? Math.floor(fast) : fast, 0);
  const end = Math.min(isTruncated ? Math.ceil(slow) : slow, width - 1);
  const to = from === end ? end + 0.001 : end;
  return {
    rescale: (frequency, pair) => {
      const part = Math.min(Math.max((pair - from) / (to - from), 0), 1);
      return (frequency / factor) * part + frequency * (1 - part);
    },
    magnitude: parameters.number('attention_factor', yarnMagnitude(parameters, factor)),
  };
}

function yarnMagnitude(parameters: ConfigReader, factor: number): number {
  const [all, one] = [parameters.number('mscale_all_dim', 0), parameters.number('mscale', 0)];
  const magnitude = (weight: number): number => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  return all !== 0 && one !== 0 ? magnitude(one) / magnitude(all) : magnitude(1);
}

/** The length of texts in the first training. */
function originalLength(config: ConfigReader, parameters: ConfigReader): number {
  const key = 'original_max_position_embeddings';
  const stated = [config, parameters].find((values) => typeof values.value(key) === 'number');
  return stated?.requiredNumber(key) ?? config.requiredNumber('max_position_embeddings');
}

const TYPES = lookup<(settings: Settings) => RopeScaling>({ default: () => ({}), linear, llama3, yarn });
