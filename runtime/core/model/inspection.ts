import type { ByteSource } from '#contract/container/byte-source.ts';
import { findSection, readContainer, requireSection } from '#contract/container/read.ts';
import type { Section } from '#contract/container/sections.ts';
import type { Manifest, ModelSourceFacts, RuntimeInfo } from '#contract/manifest.ts';
import { readsImages } from '#contract/model-types.ts';
import { devicesOf, devicesText, type ModelDevice } from './device-support.ts';
import { memoryFacts } from './attention-memory.ts';
import {
  batchingText,
  graphFacts,
  imageFacts,
  scoreFacts,
  multiVectorFacts,
  pairFacts,
  sentenceFacts,
  outputSize,
  licenseFacts,
  sparseFacts,
} from './manifest-facts.ts';
import { parseManifest, parseRuntimeInfo } from './manifest-json.ts';
import { formatBytes } from './progress.ts';
import { greatest } from '../numbers/extremes.ts';

/** The contents of a file. `model` is undefined for a base runtime. */
export interface Inspection {
  readonly file: string;
  readonly bytes: number;
  readonly formatVersion: number;
  readonly model?: Manifest;
  /** What can run the model, if the machine has it. */
  readonly devices?: readonly ModelDevice[];
  readonly runtime: RuntimeInfo;
  readonly sections: readonly Section[];
}

export function inspect(source: ByteSource): Inspection {
  const container = readContainer(source);
  const manifest = findSection(container, 'manifest');
  const model = manifest && parseManifest(bytesOf(source, manifest));
  const runtime = parseRuntimeInfo(bytesOf(source, requireSection(source, container, 'runtime')));
  return {
    file: source.name,
    bytes: source.size,
    formatVersion: container.formatVersion,
    ...(model ? { model, devices: devicesOf(model, runtime.platform) } : {}),
    runtime,
    sections: container.sections,
  };
}

/** Formats an inspection as a table. */
export function inspectionTable(inspection: Inspection): string {
  const { model, runtime } = inspection;
  const facts: [string, string][] = [
    ['File', `${inspection.file} (${formatBytes(inspection.bytes)}, format ${inspection.formatVersion})`],
    ...(model ? modelFacts(model) : [noModel(runtime)]),
    ...(model ? [['Devices', devicesText(model, runtime.platform)] satisfies [string, string]] : []),
    ['Platform', runtime.platform],
    ['Runtime', versions(runtime)],
  ];
  const sizes: [string, string][] = [
    ...inspection.sections.map(({ name, length }): [string, string] => [name, formatBytes(length)]),
    ...runtime.parts.map(({ name, bytes, unpackedBytes }): [string, string] => [
      `  in executable: ${name}`,
      formatBytes(bytes) + (unpackedBytes === undefined ? '' : ` (unpacked ${formatBytes(unpackedBytes)})`),
    ]),
  ];
  return [...table(facts), '', 'Built with:', ...table(sizes).map((line) => `  ${line}`)].join('\n');
}

function modelFacts(model: Manifest): [string, string][] {
  const labels = model.id2label ? Object.values(model.id2label) : undefined;
  const labelFacts: [string, string][] = labels ? [['Labels', labels.join(', ')]] : [];
  return [
    ['Model', `${model.name} ${model.version}`],
    ['Type', `${model.modelType}, output ${model.output}, ${outputSize(model)}, ${model.precision}`],
    [
      'Inputs',
      `${model.inputs.join(', ')}${readsImages(model.modelType) ? '' : `; up to ${model.tokenizer.maxLength} tokens`}`,
    ],
    ...imageFacts(model),
    ...graphFacts(model),
    ['Batches', batchingText(model)],
    ...memoryFacts(model),
    ...windowFacts(model),
    ...labelFacts,
    ...scoreFacts(model),
    ...sentenceFacts(model),
    ...pairFacts(model),
    ...sparseFacts(model),
    ...multiVectorFacts(model),
    ...(model.source ? [sourceFact(model.source)] : []),
    ...licenseFacts(model),
    ['Built by', model.builtBy],
  ];
}

/** Formats the path of the graph, and the repository if it is known. */
const sourceFact = ({ graph, repository, revision }: ModelSourceFacts): [string, string] => [
  'Source',
  [graph, repository && `of hf:${repository}${revision === undefined ? '' : `@${revision}`}`]
    .filter(Boolean)
    .join(' '),
];

const windowFacts = ({ windows, entities }: Manifest): [string, string][] => {
  if (!windows) return [];
  const kind = entities ? `windows of ${entities.maxWords} words` : 'windows';
  return [['Long texts', `${kind} with a stride of ${windows.stride} ${entities ? 'words' : 'tokens'}`]];
};

const noModel = ({ program }: RuntimeInfo): [string, string] =>
  program ? ['Program', program] : ['Model', 'none; this is a base runtime'];

function versions({ version, node, onnxruntime }: RuntimeInfo): string {
  const parts = [`encoderfile ${version}`, `Node ${node}`, onnxruntime && `ONNX Runtime ${onnxruntime}`];
  return parts.filter(Boolean).join(', ');
}

function table(rows: readonly [string, string][]): string[] {
  const width = greatest(rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

const bytesOf = (source: ByteSource, { offset, length }: Section): Uint8Array =>
  source.readAt(offset, length);
