import type { FileHandle } from 'node:fs/promises';
import type { Platform } from '#contract/platforms.ts';
import { sha256Digest } from '#platform/sha256.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { type MachoPlan, planMacho } from '../binary/macho-layout.ts';
import { sealMacho } from '../binary/macho-sign.ts';
import { buildSignature, PAGE_LENGTH } from '../binary/macho-signature.ts';

/** Platform-specific changes to an executable when data is appended to it. */
export interface Seal {
  /** Whether `patchHead` needs the end of the payload, so that all of it must be known before the first bytes are written. */
  readonly needsEnd: boolean;
  /** Returns the patched first bytes of the program for a payload that ends at `end`; undefined if nothing changes. */
  patchHead(this: void, head: Uint8Array, end: number): Uint8Array | undefined;
  /** Appends a signature after `end` if one is required; returns the file size. */
  sign(this: void, path: string, file: FileHandle, end: number): Promise<number>;
}

/**
 * Returns the seal of a platform. Linux and Windows run a file with appended bytes unchanged; macOS only runs signed files, so
 * the file is signed ad hoc.
 */
export function sealFor(platform: Platform, executable: { length: number; fileSize: number }): Seal {
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
