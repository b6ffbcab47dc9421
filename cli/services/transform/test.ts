import { resolve } from 'node:path';
import { configError, inputError, messageOf } from '#contract/errors.ts';
import { describeShape, type Tensor } from '#core/tensor/tensor.ts';
import { rowOf, shapeOfRow } from '#core/model/raw-output.ts';
import { planVector } from '#core/model/vector-plan.ts';
import { checkFinite } from '#transform/check-result.ts';
import { explainScriptError, type TransformScript } from '#transform/transform-script.ts';
import { transformInputs } from '#transform/transform.ts';
import { type RunLua, withLua } from '../../adapters/lua.ts';
import { type OnnxTools, withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import { userCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import type { PreparedModel } from '../../packaging/model/prepared-graph.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import { describe } from '#core/yaml/describe.ts';
import { prepareModel } from '../prepare-model.ts';
import { type ConfigSource, readBuildConfig } from '../read-config.ts';
import type { TransformTestResult } from './test-result.ts';
import type { TestedText } from './tested-text.ts';

export interface TransformTestRequest {
  readonly source: ConfigSource;
  readonly variant?: string | undefined;
  readonly offline?: boolean | undefined;
  readonly cacheDir: string | undefined;
  readonly texts: readonly string[];
}

/** `encoderfile transform test`: runs texts through the model and its transform, as the executable will. */
export async function testTransform(
  { source, variant, offline, cacheDir, texts }: TransformTestRequest,
  report: Reporter,
): Promise<TransformTestResult> {
  if (texts.includes('')) throw inputError('Cannot tokenize empty string');
  const config = await readBuildConfig(source, { report, variant, offline });
  if (!config.transform) throw configError(withoutTransform(config));
  const chosen = cacheDir ?? config.cacheDir;
  const folder = chosen === undefined ? userCacheDir() : resolve(chosen);
  return await withWorkFolder(folder, async (work) => {
    // The texts from the command line are used instead of the build's sample texts.
    const model = await prepareModel(
      { ...config, validateTransform: false, quantize: { ...config.quantize, form: 'none' } },
      work,
      report,
    );
    const script = scriptOf(model);
    const tested = await withOnnxRuntime((onnx) =>
      withLua(script, console.error, (lua) => testAll(texts, model, work, { script, onnx, lua })),
    );
    return { config: config.file, manifest: model.manifest, texts: tested };
  });
}

interface Tools {
  readonly script: TransformScript;
  readonly onnx: OnnxTools;
  readonly lua: RunLua;
}

async function testAll(
  texts: readonly string[],
  { manifest, tokenizer: prepared, graph }: PreparedModel,
  folder: string,
  { script, onnx, lua }: Tools,
): Promise<TestedText[]> {
  const { modelType, inputs, output } = manifest;
  const { maxLength, truncationSide, padId } = manifest.tokenizer;
  const { fixedShape, firstPosition } = manifest;
  const { prompt, options } = planVector(manifest, {});
  const { graphPath } = graph;
  if (graphPath === undefined || !prepared) throw new Error('the model has no transform');
  const { tokenizer } = prepared;
  const prompted = texts.map((text) => prompt.text + text);
  const encoded = await tokenizer.encodeCut(prompted, maxLength, truncationSide);
  const tested: TestedText[] = [];
  for (const [index, { ids, tokens }] of encoded.entries()) {
    const raw = await onnx.tryOut({
      graph: graphPath,
      folder,
      inputs,
      output,
      ids: [ids],
      padId,
      fixedShape,
      firstPosition,
    });
    const shape = shapeOfRow(raw, ids.length);
    const input: Tensor = { data: rowOf(raw, 0, ids.length), shape };
    const text = prompted[index] ?? '';
    try {
      const result = await lua({ modelType, output: input, skip: options.skip });
      checkFinite(result, script);
      const [, mask] = transformInputs(modelType, input, options.skip);
      tested.push({ text, tokens, input, mask, output: result });
    } catch (error) {
      const message = explainScriptError(messageOf(error), script);
      throw configError(
        `${message}\n  (with ${output} of shape ${describeShape(shape)} for ${describe(text)})`,
        error,
      );
    }
  }
  return tested;
}

function scriptOf({ manifest, transform }: PreparedModel): TransformScript {
  if (!manifest.transform || transform === undefined)
    throw new Error('The model was prepared without its transform');
  return { ...manifest.transform, source: transform };
}

const withoutTransform = ({ file, modelType }: BuildConfig): string =>
  `${file} has no \`transform\` to test. Create one with \`encoderfile transform new --model-type ${modelType}\`, ` +
  'then add `transform: {path: ./transform.lua}` to the config.';
