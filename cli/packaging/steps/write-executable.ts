import { readFile, stat } from 'node:fs/promises';
import {
  alignUp,
  SECTION_ALIGNMENT,
  type SectionName,
} from '../../../runtime/contract/container/sections.ts';
import { LOCATION_PLACEHOLDER } from '../../../runtime/contract/weights-location.ts';
import { mapExternalData } from '../onnx/external-data.ts';
import type { FileTarget } from '../../../runtime/platform/files/output-target.ts';
import type { BaseRuntime } from '../base/base-runtime.ts';
import type { PreparedModel } from '../model/prepared-model.ts';
import type { BuildPlan } from '../plan.ts';
import type { Reporter } from '../reporter.ts';
import { type Content, writeContainer } from './write-container.ts';

export interface ExecutableInput {
  readonly output: FileTarget;
  readonly model: PreparedModel;
  readonly base: BaseRuntime;
  readonly plan: BuildPlan;
  readonly report: Reporter;
}

/** Appends a model to a base runtime; returns the size of the executable. */
export async function writeExecutable({
  output,
  model,
  base,
  plan,
  report,
}: ExecutableInput): Promise<number> {
  const step = report.step('Writing the executable');
  const { files, tokenizer, graph, transform, layers, licenseText, cardText, manifest } = model;
  const bytes = async (path: string): Promise<Content> => ({ bytes: await readFile(path) });
  const runtime = encode(base.info);
  // The weights come before the graph, so their position is known before the graph is complete.
  const weightsOffset = alignUp(alignUp(base.length, SECTION_ALIGNMENT) + runtime.length, SECTION_ALIGNMENT);
  const payload: { name: SectionName; content: Content }[] = [
    { name: 'runtime', content: { bytes: runtime } },
    {
      name: 'weights',
      content: { path: graph.weightsPath, offset: 0, length: (await stat(graph.weightsPath)).size },
    },
    { name: 'graph', content: { bytes: pointGraph(await readFile(graph.graphPath), weightsOffset) } },
    { name: 'tokenizer', content: { bytes: text(tokenizer.json) } },
    {
      name: 'config',
      content: files.modelConfig === undefined ? { bytes: text('{}\n') } : await bytes(files.modelConfig),
    },
    ...optional('transform', transform),
    ...(layers === undefined ? [] : [{ name: 'layers' as const, content: { bytes: layers } }]),
    { name: 'manifest', content: { bytes: encode(manifest) } },
    ...optional('license', licenseText),
    ...optional('card', cardText),
  ];
  const size = await writeContainer({
    executable: { ...base, offset: 0 },
    payload,
    platform: plan.platform,
    output,
    onProgress: step.progress,
  });
  step.done();
  return size;
}

/** Points the weights of a graph into the executable: at their offset, under a name that is filled in at start. */
function pointGraph(graph: Uint8Array, weightsOffset: number): Uint8Array {
  return mapExternalData(graph, (data) => ({
    ...data,
    location: LOCATION_PLACEHOLDER,
    offset: weightsOffset + data.offset,
  }));
}

const optional = (
  name: SectionName,
  content: string | undefined,
): { name: SectionName; content: Content }[] =>
  content === undefined ? [] : [{ name, content: { bytes: text(content) } }];
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const encode = (value: unknown): Uint8Array => text(JSON.stringify(value));
