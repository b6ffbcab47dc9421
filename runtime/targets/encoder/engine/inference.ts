import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { imageGraph as imageGraphOf } from '#core/model/image-graph.ts';
import type { RawOutput } from '#core/model/raw-output.ts';
import type { Manifest } from '#contract/manifest.ts';
import { loadOnnxRuntime, openOnnxSession, type OnnxSession } from '#platform/onnx/session.ts';
import type { Answer } from '#platform/worker-requests.ts';
import type { OpenModel, RenderBatch, RenderRow, RunBatch, ThreadRequest } from './inference-thread.ts';
import type { RowTransform } from './row-transform.ts';
import { graphRunner, type RunBatchOnce, type WantedRows } from './run-graph.ts';
import { tableRunner } from './run-table.ts';
import type { View } from './serving.ts';
import type { GraphBody } from '../model.ts';
import { lazy } from '#core/values/lazy.ts';
import { sharedNow, type SharedSpan } from './steps.ts';

interface LoadedModel {
  readonly manifest: OpenModel['manifest'];
  readonly layers: OpenModel['layers'];
  readonly run: RunBatchOnce;
  readonly transform: RowTransform | undefined;
  readonly close?: () => void;
}

/** The requests to a model, by kind. */
type Inference = {
  readonly [Kind in ThreadRequest['kind']]: (
    request: Extract<ThreadRequest, { readonly kind: Kind }>,
  ) => Promise<Answer>;
} & {
  /** Closes the files of the model. In a thread, they are closed when the thread ends. */
  readonly close: () => void;
};

/** Has one model open and runs one batch at a time. */
export function createInference(): Inference {
  let model: LoadedModel | undefined;
  let renderRows: typeof import('./render.ts').renderRows | undefined;

  const loaded = (): LoadedModel => {
    if (!model) throw new Error('no model is loaded');
    return model;
  };

  return {
    close: () => model?.close?.(),

    async open({ addon, body, manifest, layers, transform, timed, images, ...options }: OpenModel) {
      const started = timed && sharedNow();
      const runner =
        body.kind === 'table'
          ? tableRunner(body, manifest)
          : {
              run: await runnerOf(
                body,
                (graph, hasConvolutions) =>
                  openOnnxSession(loadOnnxRuntime(addon), {
                    ...options,
                    graph,
                    weightsFolder: body.weightsFolder,
                    bfloat16: manifest.quantization?.form === 'bf16',
                    hasConvolutions,
                  }),
                manifest,
                images,
              ),
            };
      const opened: SharedSpan | undefined = started ? [started, sharedNow()] : undefined;
      // Models without a transform do not load Lua.
      const rows = transform && (await import('./row-transform.ts'));
      model = {
        manifest,
        layers,
        transform: transform && (await rows?.openRowTransform(transform, manifest)),
        ...runner,
      };
      return { reply: opened };
    },

    async run({ batch, tokenOutputs: wanted }: RunBatch) {
      const { run, transform } = loaded();
      const output = await run(batch, { tokenOutputs: wanted, allTokens: false });
      const { failed, imageSizes } = output;
      // Memory that the addon has allocated cannot be transferred to another thread, but a copy can.
      const copied = ({ data, dims }: RawOutput) => ({ data: Float32Array.from(data), dims });
      const copy = copied(output);
      const others = Object.entries(output.tokenOutputs ?? {}).map(
        ([name, one]) => [name, copied(one)] as const,
      );
      const transformed = await transform?.(output, batch.lengths);
      return {
        reply: { ...copy, failed, imageSizes, tokenOutputs: Object.fromEntries(others), transformed },
        transfer: [copy.data.buffer, ...others.map(([, { data }]) => data.buffer)],
      };
    },

    async render({ batch, rows }: RenderBatch) {
      // Only servers render results, so a cold start of `infer` does not load this code. The imported
      // function is cached, because importing it again would take 0.06 ms in each run (measured).
      renderRows ??= (await import('./render.ts')).renderRows;
      const { manifest, layers, run, transform } = loaded();
      const output = await run(batch, wantedOf(rows));
      const skips = rows.map(({ view }) => skipOf(view));
      const transformed = await transform?.(output, batch.lengths, skips);
      const reply = renderRows({ output, batch, rows, manifest, layers, transformed });
      return { reply, transfer: [reply.bytes.buffer] };
    },
  };
}

/** Models that read texts do not load the code for images. */
async function runnerOf(
  { graph, imageGraph }: GraphBody,
  open: (graph: Uint8Array, hasConvolutions?: true) => OnnxSession,
  manifest: Manifest,
  limits: ImageLimits | undefined,
): Promise<RunBatchOnce> {
  if (!manifest.images) return graphRunner(open(graph), manifest);
  const { imageRunner } = await import('./run-images.ts');
  const { hasConvolutions } = imageGraphOf(manifest);
  const openForImages = (graphOfImages: Uint8Array): RunBatchOnce =>
    imageRunner(open(graphOfImages, hasConvolutions), manifest, limits);
  if (!imageGraph) return openForImages(graph);
  const ofTexts = graphRunner(open(graph), manifest);
  // A thread that only reads texts does not open the encoder of images.
  const ofImages = lazy(() => openForImages(imageGraph));
  return (batch, wanted) => (batch.images ? ofImages() : ofTexts)(batch, wanted);
}

/** What the results of these rows need. */
const wantedOf = (rows: readonly Pick<RenderRow, 'view'>[]): WantedRows => ({
  tokenOutputs: [...new Set(rows.flatMap(({ view }) => neededBy(view)))],
  allTokens: rows.some(
    ({ view }) => view.kind === 'chunks' || view.kind === 'tokens' || (skipOf(view) ?? 0) > 0,
  ),
});

function neededBy(view: View): TokenOutputName[] {
  if (view.kind === 'result') return tokenOutputsAmong(view.options.outputs);
  return view.kind === 'hybrid' ? tokenOutputsAmong(view.query.outputs) : [];
}

function skipOf(view: View): number | undefined {
  if (view.kind === 'vector') return view.skip;
  return view.kind === 'result' ? view.options.skip : undefined;
}
