import { configError } from '#contract/errors.ts';
import { MACHO, type MachoPlan } from './macho-layout.ts';
import { signatureLength } from './macho-signature.ts';

/**
 * Returns new first bytes for a file with a payload in [plan.codeEnd, payloadEnd) and a signature
 * of `signatureSize` bytes after it: `__LINKEDIT` extends to the end of the signature, and
 * LC_CODE_SIGNATURE points to the signature. The page hashes include these bytes. The payload is
 * inside `__LINKEDIT` and the signature comes last, because macOS' strict validation (Security
 * framework, `MachO::validateStructure`) requires it.
 */
export function sealMacho(
  plan: MachoPlan,
  head: Uint8Array,
  payloadEnd: number,
  identifier: string,
): { head: Uint8Array; signatureSize: number } {
  const signatureSize = signatureLength(payloadEnd, identifier);
  requirePosition(plan, payloadEnd, signatureSize);

  const sealed = head.slice();
  const view = new DataView(sealed.buffer);
  const { at, isNew } = plan.signatureCommand;
  if (isNew) {
    view.setUint32(16, plan.commandCount + 1, true);
    view.setUint32(20, plan.commandsLength + MACHO.signatureCommandLength, true);
  }
  view.setUint32(at, MACHO.LC_CODE_SIGNATURE, true);
  view.setUint32(at + 4, MACHO.signatureCommandLength, true);
  view.setUint32(at + 8, payloadEnd, true);
  view.setUint32(at + 12, signatureSize, true);

  // Apple silicon maps pages of 16 KiB.
  const linkEditSize = payloadEnd + signatureSize - plan.linkEdit.fileOffset;
  view.setBigUint64(plan.linkEdit.at + 32, BigInt(alignUp(linkEditSize, 16_384)), true);
  view.setBigUint64(plan.linkEdit.at + 48, BigInt(linkEditSize), true);

  // Extends the declared size of the string table to the start of the signature, as PyInstaller
  // does: Apple's codesign_allocate, which `codesign --sign <identity>` runs, rejects gaps in
  // __LINKEDIT. The additional bytes have no effect, because strings are only read by offset.
  const strings = plan.lastStrings;
  if (strings) view.setUint32(strings.at + 20, payloadEnd - strings.fileOffset, true);
  return { head: sealed, signatureSize };
}

function requirePosition(plan: MachoPlan, payloadEnd: number, signatureSize: number): void {
  if (payloadEnd % 16 !== 0) {
    throw configError(
      `The macOS payload ends at ${payloadEnd}, which is not a multiple of 16. Pad it before its footer.`,
    );
  }
  if (payloadEnd < plan.codeEnd) {
    throw configError(
      `The macOS payload ends at ${payloadEnd}, before the end of the code (${plan.codeEnd}). Append it after the code.`,
    );
  }
  // `dataoff` and the sum of `dataoff` and `datasize` are 32-bit numbers (XNU, `load_code_signature`).
  if (payloadEnd + signatureSize > 0xffffffff) {
    throw configError(
      `The macOS executable would have ${payloadEnd + signatureSize} bytes, but its signature must end below 4 GiB. Use a smaller or quantized model.`,
    );
  }
}

function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
