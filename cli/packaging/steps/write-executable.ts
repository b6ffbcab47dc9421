import { readFile, stat } from 'node:fs/promises';
import { alignUp, SECTION_ALIGNMENT, type SectionName } from '#contract/container/sections.ts';
import type { Platform } from '#contract/platforms.ts';
import { LOCATION_PLACEHOLDER } from '#contract/weights-location.ts';
import { mapExternalData } from '../onnx/external-data.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import type { FileRange } from '#platform/read-chunks.ts';
import type { BaseRuntime } from '../base/base-runtime.ts';
import type { PreparedModel } from '../model/prepared-graph.ts';
import { type NamedContent, writeContainer } from './write-container.ts';

export interface ExecutableInput {
  readonly output: FileTarget;
  readonly base: BaseRuntime;
  readonly platform: Platform;
  /** Path of the weights, which are complete before the rest of the model has been tested. */
  readonly weights: Promise<string>;
  readonly model: Promise<PreparedModel>;
  readonly onProgress?: (doneBytes: number) => void;
}

/**
 * Appends a model to a base runtime, and returns the size of the executable. Each part is written
 * as soon as it is complete. If the model is rejected, the incomplete file is removed.
 */
export async function writeExecutable(input: ExecutableInput): Promise<number> {
  const { output, base, platform, onProgress } = input;
  return await writeContainer({
    executable: { ...base, offset: 0 },
    payload: sectionsOf(input),
    platform,
    output,
    ...(onProgress ? { onProgress } : {}),
  });
}

async function* sectionsOf({ base, weights, model }: ExecutableInput): AsyncGenerator<NamedContent> {
  const runtime = encode(base.info);
  yield { name: 'runtime', content: { bytes: runtime } };
  // The weights precede the graph, so that their position is known before the graph is complete.
  const weightsOffset = alignUp(alignUp(base.length, SECTION_ALIGNMENT) + runtime.length, SECTION_ALIGNMENT);
  const path = await weights;
  yield { name: 'weights', content: await wholeFile(path) };
  const { files, tokenizer, graph, transform, layers, labelTokenizer, staticTable, ...rest } = await model;
  const { imageGraphPath, licenseText, cardText, manifest } = rest;
  if (graph.graphPath !== undefined) {
    const bytes = pointGraph(await readFile(graph.graphPath), weightsOffset);
    yield { name: 'graph', content: { bytes } };
  }
  yield* optional('tokenizer', tokenizer?.json);
  yield {
    name: 'config',
    content: {
      bytes: files.modelConfig === undefined ? text('{}\n') : await readFile(files.modelConfig),
    },
  };
  yield* optional('transform', transform);
  if (layers !== undefined) yield { name: 'layers', content: { bytes: layers } };
  yield* optional('label-tokenizer', labelTokenizer);
  if (imageGraphPath !== undefined) {
    const bytes = pointGraph(await readFile(imageGraphPath), weightsOffset);
    yield { name: 'image-graph', content: { bytes } };
  }
  yield { name: 'manifest', content: { bytes: encode(manifest) } };
  yield* optional('license', licenseText);
  yield* optional('card', cardText);
  if (staticTable !== undefined) yield { name: 'static', content: await wholeFile(staticTable) };
}

/**
 * Changes a graph to read its weights from the executable: at their offset, and under a file name
 * that is filled in at startup.
 */
function pointGraph(graph: Uint8Array, weightsOffset: number): Uint8Array {
  return mapExternalData(graph, (data) => ({
    ...data,
    location: LOCATION_PLACEHOLDER,
    offset: weightsOffset + data.offset,
  }));
}

const wholeFile = async (path: string): Promise<FileRange> => ({
  path,
  offset: 0,
  length: (await stat(path)).size,
});
const optional = (name: SectionName, content: string | undefined): NamedContent[] =>
  content === undefined ? [] : [{ name, content: { bytes: text(content) } }];
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const encode = (value: unknown): Uint8Array => text(JSON.stringify(value));
