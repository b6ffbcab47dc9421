import type { Quantization } from '#contract/quantization.ts';
import { timeStep } from '#core/time/time-step.ts';
import { accuracyText } from '#core/model/quantization-facts.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { checkFiniteOutput } from '../packaging/model/check-finite-output.ts';
import type { PreparedGraph } from '../packaging/model/prepare-graph.ts';
import type { PreparedTokenizer } from '../packaging/model/prepare-tokenizer.ts';
import { quantizePrepared } from '../packaging/model/quantize-prepared.ts';
import type { GraphRequest } from '../packaging/model/rewrite-graph.ts';
import type { ComparedModel } from '../packaging/quantize/compared-results.ts';
import type { Reporter } from '../packaging/reporter.ts';

interface OriginalModel {
  readonly request: GraphRequest;
  readonly tokenizer: PreparedTokenizer;
  readonly original: PreparedGraph;
}

/** Quantizes a model if the config asks for it. */
export async function quantizeIfWanted(
  { quantize }: BuildConfig,
  { request, tokenizer, original }: OriginalModel,
  compared: ComparedModel,
  folder: string,
  report: Reporter,
): Promise<{ readonly graph: PreparedGraph; readonly quantization: Quantization | undefined }> {
  if (quantize.form === 'none') return { graph: original, quantization: undefined };
  const step = report.step('Quantizing the model');
  const result = await timeStep(report.onStep, 'quantize', () =>
    quantizePrepared(request, tokenizer, original, { ...quantize, compared }, folder),
  );
  if ('reason' in result) {
    step.done('not quantized');
    report.warn(`The model stays in float32: ${result.reason}`);
    return { graph: original, quantization: undefined };
  }
  step.done(accuracyText(result.quantization.accuracy));
  checkFiniteOutput(result.graph, request.file);
  return result;
}
