import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { parseLossless } from '#core/json/lossless-json.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import type { PeerInfo } from '../upstream/connection.ts';

const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' });
const text = Type.String();

const savedList = Type.Object({
  items: Type.Array(Type.Unknown()),
  /** Messages about the items that the server's list contained but clients do not get. */
  faults: Type.Array(text),
  /** Time of the list request, in milliseconds since 1970. */
  listedAt: Type.Number({ minimum: 0 }),
});

/** The lists of one server as its file contains them. Their items must be checked like those of a server. */
const savedCopy = Type.Object({
  /** Identity of the server that the lists are from. */
  identity: text,
  peer: Type.Object({
    protocolVersion: text,
    name: text,
    version: text,
    title: Type.Optional(text),
    shown: Type.Optional(anyObject),
    instructions: Type.Optional(text),
    capabilities: anyObject,
  }),
  lists: Type.Object({
    tools: Type.Optional(savedList),
    prompts: Type.Optional(savedList),
    resources: Type.Optional(savedList),
    resourceTemplates: Type.Optional(savedList),
  }),
});

export type SavedList = Static<typeof savedList>;
export type SavedCopy = Omit<Static<typeof savedCopy>, 'peer'> & { readonly peer: PeerInfo };

const isCopy = new Ajv(TRUSTED_SCHEMAS).compile<SavedCopy>(savedCopy);

/** Parses a file's text; undefined if it does not contain the lists of this server. */
export function parseSavedCopy(written: string, identity: string): SavedCopy | undefined {
  try {
    const value = parseLossless(written);
    return isCopy(value) && value.identity === identity ? value : undefined;
  } catch {
    return undefined;
  }
}
