import { needsExport } from '../exports/needs-export.ts';
import type { ConfigReader } from './config-reader.ts';
import { resnet, resnetMap, type ResnetNames } from './encoders/resnet.ts';
import type { Value } from './graph-writer.ts';
import { type ImageGraph, readSizes } from './image-graph.ts';

/** The part of a detector's weights that contains the ResNet. */
const PREFIX = 'model.backbone.conv_encoder.model.';

/** The names of timm, which most published detectors use. */
const TIMM_NAMES: ResnetNames = {
  stem: ['conv1', 'bn1'],
  layer: (stage, layer) => `layer${stage + 1}.${layer}`,
  part: (layer, part) => [`${layer}.conv${part + 1}`, `${layer}.bn${part + 1}`],
  shortcut: (layer) => [`${layer}.downsample.0`, `${layer}.downsample.1`],
};
const TIMM_STAGES = 4;
/** The ResNets of timm that have the standard layers; others have the same names of weights. */
const PLAIN_TIMM = /^resnet(18|34|50|101|152)(\.|$)/;

/** The map that the last stage of a detector's ResNet returns: images x channels x height x width. */
export function resnetBackbone(detector: ImageGraph): Value {
  const config = detector.config.under('backbone_config');
  const g = detector.within(PREFIX, config);
  if (g.hasWeight('conv1.weight')) return timmResnet(g, detector.config);
  config.refuseUnless('model_type', ['resnet']);
  const stages = readSizes(config, 'depths', [3, 4, 6, 3]).length;
  refuseUnlessLast(config, 'out_features', [`stage${stages}`]);
  refuseUnlessLast(config, 'out_indices', [stages, -1]);
  return resnet(g);
}

function timmResnet(g: ImageGraph, detector: ConfigReader): Value {
  const name = g.config.text('backbone', detector.text('backbone', 'resnet50'));
  if (!PLAIN_TIMM.test(name)) {
    throw needsExport(
      `config.json sets \`backbone\` to ${JSON.stringify(name)}, but only resnet18, resnet34, resnet50, resnet101 and resnet152 can be built without an export.`,
    );
  }
  detector.refuseUnless('dilation', [false]);
  for (const config of [g.config, detector.under('backbone_kwargs')]) {
    config.refuseUnless('output_stride', [32]);
    refuseUnlessLast(config, 'out_indices', [TIMM_STAGES, -1]);
  }
  const isBottleneck = g.hasWeight('layer1.0.conv3.weight');
  return resnetMap(g, TIMM_NAMES, {
    depths: Array.from({ length: TIMM_STAGES }, (_, stage) => depthOf(g, stage)),
    reduces: isBottleneck ? [false, true, false] : [true, false],
    isFirstStageHalved: false,
    activation: 'relu',
  });
}

/** Number of layers of a stage, at least one, so that a missing layer is an error. */
function depthOf(g: ImageGraph, stage: number): number {
  let depth = 1;
  while (g.hasWeight(`${TIMM_NAMES.layer(stage, depth)}.conv1.weight`)) depth += 1;
  return depth;
}

/** Rejects a list in config.json whose last value is not allowed. */
function refuseUnlessLast(config: ConfigReader, key: string, allowed: readonly unknown[]): void {
  const value = config.value(key);
  if (value === undefined || value === null) return;
  if (Array.isArray(value) && allowed.includes(value.at(-1))) return;
  throw needsExport(
    `config.json sets \`${key}\` of the backbone to ${JSON.stringify(value)}, which cannot be built without an export.`,
  );
}
