import type { Activation, LayerSettings } from '#contract/sentence.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { memberOf } from '#core/values/member-of.ts';
import { MODULE_WEIGHTS_TEXT } from '../architectures/weight-files.ts';

/** A sentence-transformers module after pooling. */
export interface FoundLayer {
  readonly settings: LayerSettings;
  /** The module's folder relative to the model folder, for messages and to find weights. */
  readonly path: string;
}

export type DenseSettings = LayerSettings & { readonly kind: 'dense' };

/** A module's config.json, and whether its folder contains its weights. */
export interface ModuleFiles {
  readonly config: Readonly<Record<string, unknown>>;
  readonly hasWeights: boolean;
}

export interface FoundLayers {
  readonly layers: readonly FoundLayer[];
  /** Why a module cannot be applied, as the start of an error message. */
  readonly problem: string | undefined;
}

/**
 * Returns a module's class name without the package, which differs between versions of
 * sentence-transformers.
 */
export const moduleClass = (module: unknown): string =>
  (textOf(memberOf(module, 'type')) ?? 'without a type').split('.').at(-1) ?? '';

/** Returns a module's folder, relative to the model folder. */
export const modulePath = (module: unknown): string => textOf(memberOf(module, 'path')) ?? '';

/**
 * Whether a module has weights that a build reads. Excludes classes from the model's own package,
 * because they can compute something different.
 */
export const isWeighted = (module: unknown): boolean =>
  ['Dense', 'LayerNorm', 'SparseStaticEmbedding'].includes(moduleClass(module)) &&
  /^(sentence_transformers|pylate)\./.test(textOf(memberOf(module, 'type')) ?? '');

/** Modules that return one vector per text. */
const POOLED: ReadonlySet<string> = new Set(['Pooling', 'StaticEmbedding']);

/** Reads the modules between the Pooling module and the final Normalize module. */
export function findLayers(
  modules: readonly unknown[],
  files: ReadonlyMap<string, ModuleFiles>,
): FoundLayers {
  const effective = modules.filter((module) => moduleClass(module) !== 'Dropout');
  const pooling = effective.findIndex((module) => POOLED.has(moduleClass(module)));
  const last = effective.findLastIndex((module) => moduleClass(module) !== 'Normalize');
  const early = effective.slice(0, pooling < 0 ? undefined : pooling).find(isWeighted);
  if (early)
    return { layers: [], problem: `modules.json has ${moduleClass(early)} before any Pooling module` };
  if (pooling < 0) return { layers: [], problem: undefined };
  const layers: FoundLayer[] = [];
  for (const module of effective.slice(pooling + 1, last + 1)) {
    const path = modulePath(module);
    const settings =
      moduleClass(module) === 'Normalize'
        ? ({ kind: 'normalize' } as const)
        : settingsOf(moduleClass(module), path, files.get(path));
    if (typeof settings === 'string') return { layers: [], problem: settings };
    layers.push({ settings, path });
  }
  return { layers, problem: undefined };
}

/** Settings of a module with weights, or the reason why the module cannot be used. */
function settingsOf(name: string, path: string, files: ModuleFiles | undefined): LayerSettings | string {
  if (!files) return `modules.json has the module ${name}, but ${path}/config.json is missing`;
  if (!files.hasWeights) {
    return `${path} has no ${MODULE_WEIGHTS_TEXT}; download the model files again`;
  }
  const file = `${path}/config.json`;
  return name === 'Dense' ? denseOf(files.config, file) : layerNormOf(files.config, file);
}

export function denseOf(config: ModuleFiles['config'], file: string): DenseSettings | string {
  const { in_features: inputs, out_features: outputs, bias = true } = config;
  const [from = VECTOR, to = from] = [
    config['module_input_name'] ?? undefined,
    config['module_output_name'] ?? undefined,
  ];
  if (from !== VECTOR || to !== VECTOR) {
    return `${file} maps ${JSON.stringify(from)} to ${JSON.stringify(to)}, but only ${VECTOR} is supported`;
  }
  if (!isSize(inputs) || !isSize(outputs)) return `${file} does not have valid in_features and out_features`;
  const activation = activationOf(config['activation_function']);
  if (activation === undefined) {
    return `${file} has an unsupported activation_function ${JSON.stringify(config['activation_function'])}`;
  }
  return { kind: 'dense', inputs, outputs, bias: bias === true, activation };
}

function layerNormOf({ dimension }: ModuleFiles['config'], file: string): LayerSettings | string {
  return isSize(dimension)
    ? { kind: 'layer_norm', width: dimension }
    : `${file} does not have a valid dimension`;
}

const isSize = (value: unknown): value is number => isCount(value) && value > 0;

const VECTOR = 'sentence_embedding';

/** In sentence-transformers, the default activation function is tanh. */
function activationOf(value: unknown): Activation | undefined {
  if (value === undefined) return 'tanh';
  if (typeof value !== 'string') return undefined;
  const [, name = ''] = /^torch\.nn\.(?:.*\.)?(\w+)$/.exec(value) ?? [];
  return ACTIVATION_OF.get(name);
}

const ACTIVATION_OF: ReadonlyMap<string, Activation> = new Map([
  ['Identity', 'identity'],
  ['Tanh', 'tanh'],
  ['ReLU', 'relu'],
  ['Sigmoid', 'sigmoid'],
]);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
