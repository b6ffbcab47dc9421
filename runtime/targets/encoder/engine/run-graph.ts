import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { BatchOutput, RawOutput } from '#core/model/raw-output.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { OnnxSession } from '#platform/onnx/session.ts';
import { feedsOf, padToShape, type TokenBatch } from './batch.ts';

/** What is needed of a batch in addition to the vector of each text. */
export interface WantedRows {
  /** The outputs with one row per token to return in addition to the main one. */
  readonly tokenOutputs: readonly TokenOutputName[];
  /** Whether the main output needs the rows of all tokens, even if the vector of a text is that of its first token. */
  readonly allTokens: boolean;
}

/** Runs a batch through the model. */
export type RunBatchOnce = (batch: TokenBatch, wanted: WantedRows) => BatchOutput | Promise<BatchOutput>;

/** Runs batches in a session of ONNX Runtime. */
export function graphRunner(session: OnnxSession, manifest: Manifest): RunBatchOnce {
  const { inputs, output, tokenizer, fixedShape, firstPosition, entities } = manifest;
  const feedOptions = { firstPosition, maxWidth: entities?.maxWidth };
  return (batch, { tokenOutputs: wanted, allTokens }) => {
    const padded = padToShape(batch, tokenizer.padId, fixedShape);
    const names = [output, ...wanted.map((name) => graphOutput(manifest, name))];
    const rows = allTokens || wanted.length > 0 ? undefined : 1;
    const results = session
      .runAll(feedsOf(padded, inputs, { ...feedOptions, rows }), names)
      .map(({ data, dims }): RawOutput => ({ data: data as Float32Array, dims }));
    const tokenOutputs = wanted.map((name, at) => [name, itemAt(results, at + 1)] as const);
    return {
      ...itemAt(results, 0),
      ...(wanted.length > 0 ? { tokenOutputs: Object.fromEntries(tokenOutputs) } : {}),
    };
  };
}

/** The graph output with one row per token. */
function graphOutput({ tokenOutputs }: Manifest, name: TokenOutputName): string {
  if (!tokenOutputs) throw new Error(`the model has no output ${name}`);
  return name === 'sparse' ? tokenOutputs.sparse.output : tokenOutputs.multiVector.output;
}
