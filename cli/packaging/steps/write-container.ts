import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeTail, type Layout, layoutContainer, type SectionHashes } from '#contract/container/layout.ts';
import { alignUp, SECTION_ALIGNMENT, type SectionName } from '#contract/container/sections.ts';
import type { Platform } from '#contract/platforms.ts';
import { withoutSignatureFields } from '#contract/container/signature-fields.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { replaceFile } from '#platform/files/replace-file.ts';
import { newSha256, sha256, sha256Digest } from '#platform/sha256.ts';
import { type FileRange, readChunks } from '#platform/read-chunks.ts';
import { type MachoPlan, planMacho } from '../binary/macho-layout.ts';
import { sealMacho } from '../binary/macho-sign.ts';
import { buildSignature, PAGE_LENGTH } from '../binary/macho-signature.ts';

/** Content of a section: bytes in memory, or part of a file, optionally with a known hash. */
export type SectionContent = { readonly bytes: Uint8Array } | (FileRange & { readonly sha256?: string });

export interface NamedContent {
  readonly name: SectionName;
  readonly content: SectionContent;
}

export interface ContainerInput {
  readonly executable: FileRange & { readonly fileSize: number; readonly sha256?: string };
  /**
   * The sections in order. If this is an async iterable, each section is written while the next
   * ones are prepared.
   */
  readonly payload: Iterable<NamedContent> | AsyncIterable<NamedContent>;
  readonly platform: Platform;
  readonly output: FileTarget;
  /** Receives the number of bytes written. */
  readonly onProgress?: (doneBytes: number) => void;
}

/**
 * Writes an executable and its payload as one file, and returns the file size. The format is
 * described in docs/file-format.md.
 */
export async function writeContainer(input: ContainerInput): Promise<number> {
  const { executable, payload, onProgress = () => {} } = input;
  const seal = sealFor(input.platform, executable);
  let size = 0;
  createFolders(dirname(input.output.path), 0o777);
  await replaceFile(input.output, { mode: 0o755, isProgram: true }, async (file, path) => {
    // The first bytes of a sealed file depend on its size, so they are written when all sections
    // are known.
    const sections = seal.needsEnd ? await Array.fromAsync(payload) : payload;
    const end = Array.isArray(sections) ? layoutOf(executable, sections).end : 0;
    const hashes = new Map<SectionName, SectionHashes>();
    const patch = (head: Uint8Array): Uint8Array | undefined => seal.patchHead(head, end);
    hashes.set('executable', await writePart(file, 0, executable, onProgress, patch));
    const written: NamedContent[] = [];
    let at = executable.length;
    let flushing = Promise.resolve();
    for await (const section of sections) {
      const offset = alignUp(at, SECTION_ALIGNMENT);
      hashes.set(section.name, await writePart(file, offset, section.content, onProgress));
      // Starts flushing large sections to the disk while the next section is prepared, so that less
      // data remains to be flushed at the end.
      if (lengthOf(section.content) > FLUSHED_FROM) flushing = file.datasync().catch(() => {});
      written.push(section);
      at = offset + lengthOf(section.content);
    }
    await flushing;
    const layout = layoutOf(executable, written);
    await file.writev([encodeTail(layout, hashes)], layout.indexOffset);
    size = await seal.sign(path, file, layout.end);
  });
  return size;
}

const FLUSHED_FROM = 16 * 1024 * 1024;

const layoutOf = (executable: FileRange, payload: readonly NamedContent[]): Layout =>
  layoutContainer(
    executable.length,
    payload.map(({ name, content }) => ({ name, length: lengthOf(content) })),
  );

/** `patch` receives the first chunk of a part, and returns the bytes to write instead. */
async function writePart(
  file: FileHandle,
  offset: number,
  content: SectionContent,
  onProgress: (doneBytes: number) => void,
  patch: (firstChunk: Uint8Array) => Uint8Array | undefined = () => undefined,
): Promise<SectionHashes> {
  if ('bytes' in content) {
    const { bytes } = content;
    await file.writev([bytes], offset);
    onProgress(offset + bytes.length);
    return { crc32: crc32(bytes), sha256: sha256(bytes) };
  }
  const hash = newSha256();
  let known = content.sha256;
  let done = 0;
  for await (const chunk of readChunks(content)) {
    const head = done === 0 ? patch(chunk) : undefined;
    if (head) {
      chunk.set(head);
      known = undefined;
    }
    // Hashes a chunk while it is being written by another thread. The program is the part at the start of the file.
    const writing = file.writev([chunk], offset + done);
    if (known === undefined) hash.update(offset + done === 0 ? withoutSignatureFields(chunk) : chunk);
    await writing;
    done += chunk.length;
    onProgress(offset + done);
  }
  return { sha256: known ?? hash.hex() };
}

const lengthOf = (content: SectionContent): number =>
  'bytes' in content ? content.bytes.length : content.length;

/** Platform-specific changes to an executable to which data is appended. */
interface Seal {
  /**
   * Whether `patchHead` needs the end of the payload, so that the whole payload must be known
   * before the first bytes are written.
   */
  readonly needsEnd: boolean;
  /**
   * Returns new first bytes of the program for a payload that ends at `end`; undefined if they do
   * not change.
   */
  patchHead(this: void, head: Uint8Array, end: number): Uint8Array | undefined;
  /** Appends a signature after `end` if one is required; returns the file size. */
  sign(this: void, path: string, file: FileHandle, end: number): Promise<number>;
}

/**
 * Returns the changes for a platform. On Linux and Windows, a file with appended bytes does not
 * have to be changed. macOS only runs signed files, so the file gets an ad hoc signature.
 */
function sealFor(platform: Platform, executable: { length: number; fileSize: number }): Seal {
  return platform.os === 'darwin' ? sealForMacos(executable) : NO_SEAL;
}

const NO_SEAL: Seal = {
  needsEnd: false,
  patchHead: () => undefined,
  sign: (_path, _file, end) => Promise.resolve(end),
};

const HEAD_LENGTH = 65_536;
const IDENTIFIER = 'encoderfile';

function sealForMacos(executable: { length: number; fileSize: number }): Seal {
  let plan: MachoPlan | undefined;
  return {
    needsEnd: true,
    patchHead(firstChunk, end) {
      const head = firstChunk.slice(0, HEAD_LENGTH);
      plan = { ...planMacho(head, executable.fileSize), codeEnd: executable.length };
      return sealMacho(plan, head, end, IDENTIFIER).head;
    },
    async sign(path, file, end) {
      if (!plan) throw new Error('signed before it was written');
      const pageHashes = new Uint8Array(Math.ceil(end / PAGE_LENGTH) * 32);
      let page = 0;
      // The size of every chunk except the last is a multiple of the page size.
      for await (const chunk of readChunks({ path, offset: 0, length: end })) {
        for (let at = 0; at < chunk.length; at += PAGE_LENGTH) {
          pageHashes.set(sha256Digest(chunk.subarray(at, at + PAGE_LENGTH)), page * 32);
          page += 1;
        }
      }
      const input = { plan, pageHashes, codeLimit: end, identifier: IDENTIFIER, sha256: sha256Digest };
      const signature = buildSignature(input);
      await file.writev([signature], end);
      return end + signature.length;
    },
  };
}
