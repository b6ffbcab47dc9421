import type { Kysely } from 'kysely';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { createSeal, type Seal } from '#platform/seal.ts';
import type { Schema } from '../../store/schema.ts';
import { signingKey } from '../../store/signing-key.ts';
import type { EntrySettings } from './model-entries.ts';

/** Encrypts the secrets of providers with the master key, each for the address that they are sent to. */
export interface SecretBox {
  close(address: string, secrets: EntrySettings): Promise<Uint8Array>;
  /** Undefined for secrets of another address, or that were encrypted with another master key. */
  open(address: string, bytes: Uint8Array): Promise<EntrySettings | undefined>;
}

/** Without a master key, only the permissions of the database protect the secrets. */
export function createSecretBox(db: Kysely<Schema>, masterKey = ''): SecretBox {
  let opened: Promise<Seal> | undefined;
  const openSeal = async (): Promise<Seal> =>
    createSeal(masterKey, await signingKey(db, 'providers'), 'providers of the gateway');
  const seal = (): Promise<Seal> => {
    opened ??= openSeal().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    close: async (address, secrets) => (await seal()).close(JSON.stringify({ address, secrets })),
    async open(address, bytes) {
      const text = (await seal()).open(bytes);
      const value = text === undefined ? undefined : parseJsonText(text);
      if (!isObject(value) || value['address'] !== address) return undefined;
      return isObject(value['secrets']) ? value['secrets'] : undefined;
    },
  };
}
