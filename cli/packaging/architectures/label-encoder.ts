import { LABEL_PREFIX } from '#contract/manifest.ts';
import { int } from '#core/onnx/attributes.ts';
import type { TextArchitecture } from './architectures.ts';
import { ConfigReader } from './config-reader.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** The second encoder of a GLiNER model, which reads the entity types. */
export interface LabelEncoder {
  readonly architecture: TextArchitecture;
  /** Settings in the form of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
}

const WEIGHTS = 'token_rep_layer.labels_encoder.model.';
const PROJECTION = 'token_rep_layer.labels_projection';

/** The vectors of the entity types, 1 x types x width: the mean of the vectors of each type's tokens. */
export function encodeLabels(g: EncoderGraph, { architecture, config }: LabelEncoder): Value {
  const { writer } = g;
  const part = g.part(WEIGHTS, new ConfigReader(config), LABEL_PREFIX);
  const rows = architecture.encode(part);
  const tokens = part.byText(g.hasWeight(`${PROJECTION}.weight`) ? g.linear(rows, PROJECTION) : rows);
  const mask = part.floatMask;
  const sumOf = (value: Value): Value => writer.op('ReduceSum', [value, writer.integers([1])], NO_AXIS);
  const count = writer.op('Max', [sumOf(mask), writer.float(SMALLEST_COUNT)]);
  const means = writer.op('Div', [sumOf(g.multiply(tokens, mask)), count]);
  return writer.op('Unsqueeze', [means, writer.integers([0])]);
}

const NO_AXIS = int('keepdims', 0);
/** For types without tokens, as in the gliner package. */
const SMALLEST_COUNT = 1e-9;
