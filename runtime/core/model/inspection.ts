import { BATCHING_TEXT } from '../../contract/batching.ts';
import type { ByteSource } from '../../contract/container/byte-source.ts';
import { findSection, readContainer, requireSection } from '../../contract/container/read.ts';
import type { Section } from '../../contract/container/sections.ts';
import type { Manifest, RuntimeInfo } from '../../contract/manifest.ts';
import { parseJsonText } from '../json/json-text.ts';
import { formatBytes } from './progress.ts';
import { scoreFacts } from './score-facts.ts';
import { sentenceFacts } from './sentence-facts.ts';

/** The contents of a file. `model` is undefined for a base runtime. */
export interface Inspection {
  readonly file: string;
  readonly bytes: number;
  readonly formatVersion: number;
  readonly model?: Manifest;
  readonly runtime: RuntimeInfo;
  readonly sections: readonly Section[];
}

export function inspect(source: ByteSource): Inspection {
  const container = readContainer(source);
  const manifest = findSection(container, 'manifest');
  return {
    file: source.name,
    bytes: source.size,
    formatVersion: container.formatVersion,
    ...(manifest ? { model: readJson(source, manifest) as Manifest } : {}),
    runtime: readJson(source, requireSection(source, container, 'runtime')) as RuntimeInfo,
    sections: container.sections,
  };
}

/** Formats an inspection as a table. */
export function inspectionTable(inspection: Inspection): string {
  const { model, runtime } = inspection;
  const labels = model?.id2label ? Object.values(model.id2label) : undefined;
  const facts: [string, string][] = [
    ['File', `${inspection.file} (${formatBytes(inspection.bytes)}, format ${inspection.formatVersion})`],
    ...(model
      ? ([
          ['Model', `${model.name} ${model.version}`],
          [
            'Type',
            `${model.modelType}, output ${model.output}, ${model.width} dimensions, ${model.precision}`,
          ],
          ['Inputs', `${model.inputs.join(', ')}; up to ${model.tokenizer.maxLength} tokens`],
          ['Batches', BATCHING_TEXT[model.batching ?? 'any']],
          ...(labels ? [['Labels', labels.join(', ')]] : []),
          ...scoreFacts(model),
          ...sentenceFacts(model),
          ['Built by', model.builtBy],
        ] as [string, string][])
      : ([runtime.program ? ['Program', runtime.program] : ['Model', 'none; this is a base runtime']] as [
          string,
          string,
        ][])),
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

function versions({ version, node, onnxruntime }: RuntimeInfo): string {
  const parts = [`encoderfile ${version}`, `Node ${node}`, onnxruntime && `ONNX Runtime ${onnxruntime}`];
  return parts.filter(Boolean).join(', ');
}

function table(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

function readJson(source: ByteSource, { offset, length }: Section): unknown {
  return parseJsonText(new TextDecoder().decode(source.readAt(offset, length)));
}
