import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import type { RenderRow } from './protocol.ts';
import type { View } from './serving.ts';

/** The output of the graph that has a row for each token. */
export function graphOutput({ tokenOutputs }: Manifest, name: TokenOutputName): string {
  if (!tokenOutputs) throw new Error(`the model has no output ${name}`);
  return name === 'sparse' ? tokenOutputs.sparse.output : tokenOutputs.multiVector.output;
}

/** The outputs for each token that the results of these rows need. */
export const outputsOf = (rows: readonly Pick<RenderRow, 'view'>[]): TokenOutputName[] => [
  ...new Set(rows.flatMap(({ view }) => neededBy(view))),
];

function neededBy(view: View): TokenOutputName[] {
  if (view.kind === 'result') return tokenOutputsAmong(view.options.outputs);
  return view.kind === 'hybrid' ? tokenOutputsAmong(view.query.outputs) : [];
}
