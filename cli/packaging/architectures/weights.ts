import { configError } from '#contract/errors.ts';
import type { StoredTensor } from './stored-tensor.ts';

/** A model's weights by name, with or without the prefix that models with a head use. */
export class Weights {
  readonly #tensors: ReadonlyMap<string, StoredTensor>;
  readonly #prefixes: readonly string[];

  constructor(tensors: ReadonlyMap<string, StoredTensor>, prefixes: readonly string[]) {
    this.#tensors = tensors;
    this.#prefixes = [...prefixes, ''];
  }

  /** The weights of another part of the model. */
  part(prefix: string): Weights {
    return new Weights(this.#tensors, [prefix]);
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The tensor with this name. Checks its shape, if one is given. */
  get(name: string, shape?: readonly number[]): StoredTensor {
    const tensor = this.#find(name);
    if (!tensor)
      throw configError(`The weights do not contain the tensor ${name}, which this architecture requires.`);
    if (shape && tensor.shape.join() !== shape.join()) {
      throw configError(
        `The tensor ${name} has the shape [${tensor.shape.join(', ')}], but config.json requires [${shape.join(', ')}]. Use the config.json that belongs to the weights.`,
      );
    }
    return tensor;
  }

  #find(name: string): StoredTensor | undefined {
    for (const spelling of [name, oldSpelling(name)]) {
      for (const prefix of this.#prefixes) {
        const found = this.#tensors.get(prefix + spelling);
        if (found) return found;
      }
    }
    return undefined;
  }
}

/**
 * In files that were converted from TensorFlow, the weight and bias of a norm are called `gamma`
 * and `beta`.
 */
const oldSpelling = (name: string): string =>
  name
    .replace(/(LayerNorm|layer_norm|norm)\.weight$/, '$1.gamma')
    .replace(/(LayerNorm|layer_norm|norm)\.bias$/, '$1.beta');
