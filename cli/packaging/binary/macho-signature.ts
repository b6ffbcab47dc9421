import { configError } from '#contract/errors.ts';
import type { MachoPlan } from './macho-layout.ts';

/**
 * Number of bytes covered by each hash in `pageHashes`; the last page can be shorter and is hashed
 * unpadded.
 */
export const PAGE_LENGTH = 4096;

interface SignatureInput {
  readonly plan: MachoPlan;
  /** SHA-256 of each page of [0, codeLimit) of the finished file, concatenated. */
  readonly pageHashes: Uint8Array;
  /** Start of the signature: `payloadEnd` of `sealMacho`. */
  readonly codeLimit: number;
  readonly identifier: string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

/** Constants of XNU's osfmk/kern/cs_blobs.h. All numbers of a signature are big-endian. */
const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0;
const CSMAGIC_CODEDIRECTORY = 0xfade0c02;
const CSMAGIC_REQUIREMENTS = 0xfade0c01;
const CSMAGIC_BLOBWRAPPER = 0xfade0b01;
const CSSLOT_CODEDIRECTORY = 0;
const CSSLOT_REQUIREMENTS = 2;
const CSSLOT_SIGNATURESLOT = 0x10000;
const CS_ADHOC = 0x2;
const CS_SUPPORTSEXECSEG = 0x20400;
const CS_HASHTYPE_SHA256 = 2;
const CS_EXECSEG_MAIN_BINARY = 0x1;

const HASH_LENGTH = 32;
const DIRECTORY_LENGTH = 88;
/** Slots -1 (Info.plist, absent) and -2 (requirements) precede the page hashes. */
const SPECIAL_SLOTS = 2;
const BLOBS = 3;
const SUPER_BLOB_LENGTH = 12 + BLOBS * 8;

/**
 * Builds an ad-hoc signature (no certificate), like `codesign --sign -`: Apple silicon requires one
 * for every executable.
 */
export function buildSignature(input: SignatureInput): Uint8Array {
  const requirements = emptyRequirements();
  const directory = codeDirectory(input, input.sha256(requirements));
  const wrapper = blobHeader(CSMAGIC_BLOBWRAPPER, 8);
  const blobs = [
    { slot: CSSLOT_CODEDIRECTORY, bytes: directory },
    { slot: CSSLOT_REQUIREMENTS, bytes: requirements },
    { slot: CSSLOT_SIGNATURESLOT, bytes: wrapper },
  ];

  const output = new Uint8Array(signatureLength(input.codeLimit, input.identifier));
  const view = new DataView(output.buffer);
  let end = SUPER_BLOB_LENGTH;
  blobs.forEach(({ slot, bytes }, index) => {
    view.setUint32(12 + index * 8, slot);
    view.setUint32(16 + index * 8, end);
    output.set(bytes, end);
    end += bytes.length;
  });
  view.setUint32(0, CSMAGIC_EMBEDDED_SIGNATURE);
  view.setUint32(4, end);
  view.setUint32(8, blobs.length);
  return output;
}

/**
 * Returns the size of the result of `buildSignature`. It must be known before the pages are hashed,
 * because the hashed load commands contain it.
 */
export function signatureLength(codeLimit: number, identifier: string): number {
  const hashes = (SPECIAL_SLOTS + pageCount(codeLimit)) * HASH_LENGTH;
  const directory = DIRECTORY_LENGTH + identifierBytes(identifier).length + hashes;
  const length = SUPER_BLOB_LENGTH + directory + emptyRequirements().length + 8;
  return Math.ceil(length / 16) * 16;
}

/** `CS_CodeDirectory` of version 0x20400. `codeLimit64` stays 0: a signature cannot begin past 4 GiB. */
function codeDirectory(input: SignatureInput, requirementsHash: Uint8Array): Uint8Array {
  const { plan, pageHashes, codeLimit } = input;
  const pages = pageCount(codeLimit);
  if (pageHashes.length !== pages * HASH_LENGTH) {
    throw configError(
      `A signature of ${codeLimit} bytes needs ${pages} page hashes of 32 bytes, got ${pageHashes.length} bytes. Hash every 4096 bytes of the finished file.`,
    );
  }
  const identifier = identifierBytes(input.identifier);
  const specialOffset = DIRECTORY_LENGTH + identifier.length;
  const hashOffset = specialOffset + SPECIAL_SLOTS * HASH_LENGTH;
  const directory = new Uint8Array(hashOffset + pageHashes.length);
  const view = new DataView(directory.buffer);
  view.setUint32(0, CSMAGIC_CODEDIRECTORY);
  view.setUint32(4, directory.length);
  view.setUint32(8, CS_SUPPORTSEXECSEG);
  view.setUint32(12, CS_ADHOC);
  view.setUint32(16, hashOffset);
  view.setUint32(20, DIRECTORY_LENGTH);
  view.setUint32(24, SPECIAL_SLOTS);
  view.setUint32(28, pages);
  view.setUint32(32, codeLimit);
  view.setUint8(36, HASH_LENGTH);
  view.setUint8(37, CS_HASHTYPE_SHA256);
  view.setUint8(39, Math.log2(PAGE_LENGTH));
  view.setBigUint64(64, BigInt(plan.text.fileOffset));
  view.setBigUint64(72, BigInt(plan.text.fileSize));
  view.setBigUint64(80, BigInt(CS_EXECSEG_MAIN_BINARY));
  directory.set(identifier, DIRECTORY_LENGTH);
  // Special slots are counted backwards from `hashOffset`: -2 comes first, -1 stays zero.
  directory.set(requirementsHash, specialOffset);
  directory.set(pageHashes, hashOffset);
  return directory;
}

function emptyRequirements(): Uint8Array {
  return blobHeader(CSMAGIC_REQUIREMENTS, 12);
}

/** An empty blob of `length` bytes: magic number, length and zeros. */
function blobHeader(magic: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic);
  view.setUint32(4, length);
  return bytes;
}

function pageCount(codeLimit: number): number {
  return Math.ceil(codeLimit / PAGE_LENGTH);
}

/** The identifier in the signature's format: UTF-8 with a terminating zero. */
function identifierBytes(identifier: string): Uint8Array {
  if (identifier === '' || identifier.includes('\0')) {
    throw configError(
      `The signature identifier \`${identifier}\` must be a non-empty string. Use the name of the model.`,
    );
  }
  return new TextEncoder().encode(`${identifier}\0`);
}
