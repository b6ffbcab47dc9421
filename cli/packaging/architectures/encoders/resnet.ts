import { configError } from '#contract/errors.ts';
import { lookup } from '#core/values/lookup.ts';
import { float, ints } from '../../onnx/attributes.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageGraph, readSizes } from '../image-graph.ts';

/** The code of ResNet does not make these configurable. */
const EPSILON = 1e-5;
const INNER_ACTIVATION = 'relu';

/** ResNet: stages of convolutions, most of which halve the height and width of the map. */
export function resnet(g: ImageGraph): Value {
  const { config, writer } = g;
  const activation = config.text('hidden_act', 'relu');
  const strides = stridesOf(g);
  const stem = g.activation(normalized(g, g.pixels, 'embedder.embedder', 2), activation);
  let map = writer.op(
    'MaxPool',
    [stem],
    ints('kernel_shape', [3, 3]),
    ints('strides', [2, 2]),
    ints('pads', [1, 1, 1, 1]),
  );
  for (const [stage, depth] of readSizes(config, 'depths', [3, 4, 6, 3]).entries()) {
    const isHalved = stage > 0 || config.flag('downsample_in_first_stage', false);
    for (let at = 0; at < depth; at += 1) {
      const name = `encoder.stages.${stage}.layers.${at}`;
      const stride = at === 0 && isHalved ? 2 : 1;
      const residual = g.hasWeight(`${name}.shortcut.convolution.weight`)
        ? normalized(g, map, `${name}.shortcut`, stride)
        : map;
      const inner = strides.reduce((value, reduces, part) => {
        const result = normalized(g, value, `${name}.layer.${part}`, reduces ? stride : 1);
        return part === strides.length - 1 ? result : g.activation(result, INNER_ACTIVATION);
      }, map);
      map = g.activation(g.add(inner, residual), activation);
    }
  }
  return map;
}

/** For each convolution of a layer, whether it is the one that reduces the map. */
function stridesOf({ config }: ImageGraph): readonly boolean[] {
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
function normalized(g: ImageGraph, map: Value, name: string, stride: number): Value {
  const [, , kernel = 1] = g.weights.get(`${name}.convolution.weight`).shape;
  const convolved = g.convolution(map, `${name}.convolution`, { stride, padding: Math.floor(kernel / 2) });
  const parts = ['weight', 'bias', 'running_mean', 'running_var'].map((part) =>
    g.weight(`${name}.normalization.${part}`),
  );
  return g.writer.op('BatchNormalization', [convolved, ...parts], float('epsilon', EPSILON));
}
