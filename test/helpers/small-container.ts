import { crc32 } from 'node:zlib';
import { encodeTail, layoutContainer } from '#contract/container/layout.ts';
import type { SectionName } from '#contract/container/sections.ts';
import { sha256 } from '#platform/sha256.ts';

const EXECUTABLE = new Uint8Array(100);

/** The bytes of a container with these sections, and 100 bytes in place of an executable. */
export function smallContainer(texts: Readonly<Partial<Record<SectionName, string>>>): Uint8Array {
  const payload = Object.entries(texts).map(([name, text]) => ({
    name: name as SectionName,
    bytes: Buffer.from(text),
  }));
  const layout = layoutContainer(
    EXECUTABLE.length,
    payload.map(({ name, bytes }) => ({ name, length: bytes.length })),
  );
  const file = new Uint8Array(layout.end);
  const hashes = new Map(
    layout.parts.map(({ name, offset }) => {
      const bytes = payload.find((part) => part.name === name)?.bytes ?? EXECUTABLE;
      file.set(bytes, offset);
      return [name, { crc32: crc32(bytes), sha256: sha256(bytes) }];
    }),
  );
  file.set(encodeTail(layout, hashes), layout.indexOffset);
  return file;
}

/** The bytes of an executable for a platform, with the manifest's facts about the model. */
export const modelFor = (
  platform: string,
  modelType = 'sequence_classification',
  id2label: Readonly<Record<string, string>> = { 0: 'NEGATIVE', 1: 'POSITIVE' },
): Uint8Array =>
  smallContainer({
    runtime: JSON.stringify({ platform }),
    weights: 'weights',
    manifest: JSON.stringify({ modelType, id2label }),
  });
