/** Names of a layer's weights after attention. */
export interface SublayerNames {
  /** The linear layer after attention, and its norm. */
  readonly attended: string;
  readonly attentionNorm: string;
  readonly up: string;
  readonly down: string;
  readonly norm: string;
}

/** Names of a layer's weights. */
export interface LayerNames extends SublayerNames {
  readonly query: string;
  readonly key: string;
  readonly value: string;
}

/** The names that BERT and the models derived from it use. Some of them have other names for the norms. */
export function bertLayerNames(at: number): LayerNames {
  const layer = `encoder.layer.${at}`;
  const self = `${layer}.attention.self`;
  const output = `${layer}.attention.output`;
  return {
    query: `${self}.query`,
    key: `${self}.key`,
    value: `${self}.value`,
    attended: `${output}.dense`,
    attentionNorm: `${output}.LayerNorm`,
    up: `${layer}.intermediate.dense`,
    down: `${layer}.output.dense`,
    norm: `${layer}.output.LayerNorm`,
  };
}
