import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  encodeTail,
  layoutContainer,
  type SectionHashes,
} from '../../../runtime/contract/container/layout.ts';
import type { SectionName } from '../../../runtime/contract/container/sections.ts';
import type { Platform } from '../../../runtime/contract/platforms.ts';
import { createFolders } from '../../../runtime/platform/files/create-folders.ts';
import type { FileTarget } from '../../../runtime/platform/files/output-target.ts';
import { replaceFile } from '../../../runtime/platform/files/replace-file.ts';
import { newSha256, sha256 } from '../../../runtime/platform/sha256.ts';
import { type FileRange, readChunks } from '../../../runtime/platform/read-chunks.ts';
import { sealFor } from './seal.ts';

/** Content of a section: bytes in memory, or a part of a file whose hash may be known. */
export type Content = { readonly bytes: Uint8Array } | (FileRange & { readonly sha256?: string });

export interface ContainerInput {
  readonly executable: FileRange & { readonly fileSize: number; readonly sha256?: string };
  readonly payload: readonly { readonly name: SectionName; readonly content: Content }[];
  readonly platform: Platform;
  readonly output: FileTarget;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

/** Writes an executable and its payload as one file; returns the file size. The result is described in docs/file-format.md. */
export async function writeContainer(input: ContainerInput): Promise<number> {
  const { executable, payload, onProgress } = input;
  const contents = new Map<SectionName, Content>([['executable', executable]]);
  for (const { name, content } of payload) contents.set(name, content);
  const layout = layoutContainer(
    executable.length,
    payload.map(({ name, content }) => ({ name, length: lengthOf(content) })),
  );
  const seal = sealFor(input.platform, executable);
  let size = layout.end;
  createFolders(dirname(input.output.path), 0o777);
  await replaceFile(input.output, { mode: 0o755, isProgram: true }, async (file, path) => {
    const hashes = new Map<SectionName, SectionHashes>();
    for (const { name, offset } of layout.parts) {
      const content = contents.get(name);
      if (!content) throw new Error(`section ${name} has no content`);
      const written = await writePart(file, offset, content, {
        patch: (head) => (name === 'executable' ? seal.patchHead(head, layout.end) : undefined),
        onBytes: (done) => onProgress(offset + done, layout.end),
      });
      hashes.set(name, written);
    }
    await file.writev([encodeTail(layout, hashes)], layout.indexOffset);
    size = await seal.sign(path, file, layout.end);
  });
  return size;
}

interface PartHooks {
  /** Returns new first bytes for a part, given its first chunk. */
  readonly patch: (firstChunk: Uint8Array) => Uint8Array | undefined;
  readonly onBytes: (done: number) => void;
}

async function writePart(
  file: FileHandle,
  offset: number,
  content: Content,
  hooks: PartHooks,
): Promise<SectionHashes> {
  if ('bytes' in content) {
    const { bytes } = content;
    await file.writev([bytes], offset);
    hooks.onBytes(bytes.length);
    return { crc32: crc32(bytes), sha256: sha256(bytes) };
  }
  const hash = newSha256();
  let known = content.sha256;
  let done = 0;
  for await (const chunk of readChunks(content)) {
    const head = done === 0 ? hooks.patch(chunk) : undefined;
    if (head) {
      chunk.set(head);
      known = undefined;
    }
    // Hashes while writing: the write happens on another thread.
    const writing = file.writev([chunk], offset + done);
    if (known === undefined) hash.update(chunk);
    await writing;
    done += chunk.length;
    hooks.onBytes(done);
  }
  return { sha256: known ?? hash.hex() };
}

const lengthOf = (content: Content): number => ('bytes' in content ? content.bytes.length : content.length);
