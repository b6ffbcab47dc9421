import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts and bytes, so that the database or file that contains them does not reveal them. */
export interface Seal {
  close(text: string | Uint8Array): Uint8Array;
  /** Decrypts a text; undefined if it was encrypted with another key or for another purpose. */
  open(bytes: Uint8Array): string | undefined;
  /** Decrypts bytes. */
  openBytes(bytes: Uint8Array): Uint8Array | undefined;
}

/**
 * Creates a seal from a password, which must not be stored with the texts, and a salt, which can
 * be. Texts sealed for one purpose cannot be opened for another.
 */
export function createSeal(password: string, salt: Uint8Array, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', password, salt, purpose, 32));
  const openBytes: Seal['openBytes'] = (bytes) => {
    const [nonce, tag] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    ];
    try {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  };
  return {
    close(content) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const sealed = Buffer.concat([
        cipher.update(typeof content === 'string' ? Buffer.from(content) : content),
        cipher.final(),
      ]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes) {
      const opened = openBytes(bytes);
      return opened && Buffer.from(opened).toString('utf8');
    },
    openBytes,
  };
}
