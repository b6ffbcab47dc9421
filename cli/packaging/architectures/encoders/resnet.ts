import { configError } from '#contract/errors.ts';
import { lookup } from '#core/values/lookup.ts';
import { float, ints } from '#core/onnx/attributes.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageGraph, readSizes } from '../image-graph.ts';

/** The code of ResNet does not make these configurable. */
const EPSILON = 1e-5;
const INNER_ACTIVATION = 'relu';

/** Names of a convolution and of its batch norm. */
type ConvolutionNames = readonly [convolution: string, norm: string];

/** How a library names the weights of ResNet. Stages, layers and parts count from 0. */
export interface ResnetNames {
  readonly stem: ConvolutionNames;
  readonly layer: (stage: number, layer: number) => string;
  /** Convolutions of a layer. */
  readonly part: (layer: string, part: number) => ConvolutionNames;
  readonly shortcut: (layer: string) => ConvolutionNames;
}

/** The layers of a ResNet. */
export interface ResnetShape {
  /** Number of layers of each stage. */
  readonly depths: readonly number[];
  /** For each convolution of a layer, whether it is the one that reduces the map. */
  readonly reduces: readonly boolean[];
  readonly isFirstStageHalved: boolean;
  readonly activation: string;
}

const inTransformers = (name: string): ConvolutionNames => [`${name}.convolution`, `${name}.normalization`];

const NAMES: ResnetNames = {
  stem: inTransformers('embedder.embedder'),
  layer: (stage, layer) => `encoder.stages.${stage}.layers.${layer}`,
  part: (layer, part) => inTransformers(`${layer}.layer.${part}`),
  shortcut: (layer) => inTransformers(`${layer}.shortcut`),
};

/** ResNet as transformers stores it. */
export function resnet(g: ImageGraph): Value {
  const { config } = g;
  return resnetMap(g, NAMES, {
    depths: readSizes(config, 'depths', [3, 4, 6, 3]),
    reduces: reducingParts(g),
    isFirstStageHalved: config.flag('downsample_in_first_stage', false),
    activation: config.text('hidden_act', 'relu'),
  });
}

/** Stages of convolutions, most of which halve the height and width of the map. */
export function resnetMap(
  g: ImageGraph,
  names: ResnetNames,
  { depths, reduces, isFirstStageHalved, activation }: ResnetShape,
): Value {
  const stem = g.activation(normalized(g, g.pixels, names.stem, 2), activation);
  let map = g.writer.op(
    'MaxPool',
    [stem],
    ints('kernel_shape', [3, 3]),
    ints('strides', [2, 2]),
    ints('pads', [1, 1, 1, 1]),
  );
  for (const [stage, depth] of depths.entries()) {
    const isHalved = stage > 0 || isFirstStageHalved;
    for (let at = 0; at < depth; at += 1) {
      const layer = names.layer(stage, at);
      const stride = at === 0 && isHalved ? 2 : 1;
      const shortcut = names.shortcut(layer);
      const residual = g.hasWeight(`${shortcut[0]}.weight`) ? normalized(g, map, shortcut, stride) : map;
      const inner = reduces.reduce((value, isReducing, part) => {
        const result = normalized(g, value, names.part(layer, part), isReducing ? stride : 1);
        return part === reduces.length - 1 ? result : g.activation(result, INNER_ACTIVATION);
      }, map);
      map = g.activation(g.add(inner, residual), activation);
    }
  }
  return map;
}

function reducingParts({ config }: ImageGraph): readonly boolean[] {
  const type = config.text('layer_type', 'bottleneck');
  const found = LAYERS[type];
  if (found) return found(config.flag('downsample_in_bottleneck', false));
  throw configError(
    `\`layer_type\` in config.json must be ${Object.keys(LAYERS).join(' or ')}, not ${JSON.stringify(type)}.`,
  );
}

const LAYERS = lookup<(isFirst: boolean) => readonly boolean[]>({
  basic: () => [true, false],
  bottleneck: (isFirst) => [isFirst, !isFirst, false],
});

/** A convolution and its batch norm, which ONNX Runtime combines during the build. */
function normalized(g: ImageGraph, map: Value, [convolution, norm]: ConvolutionNames, stride: number): Value {
  const [, , kernel = 1] = g.weights.get(`${convolution}.weight`).shape;
  const convolved = g.convolution(map, convolution, { stride, padding: Math.floor(kernel / 2) });
  const parts = ['weight', 'bias', 'running_mean', 'running_var'].map((part) => g.weight(`${norm}.${part}`));
  return g.writer.op('BatchNormalization', [convolved, ...parts], float('epsilon', EPSILON));
}
