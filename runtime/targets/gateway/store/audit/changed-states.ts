import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#core/json/is-object.ts';
import { isSecretName } from '#core/text/secret-name.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { dollarsOf } from '../../shared/money.ts';
import { storableText } from '../storable-text.ts';

/** Members that change through requests, not through administrators. */
const VOLATILE = new Set(['spent', 'reserved', 'lastUsedAt', 'updatedAt', 'status', 'budgetStartedAt']);
/** An object's metadata is limited to 16 KiB; a model list can be longer. */
const MAX_CHARACTERS = 65_536;
const TOO_LONG = '{"omitted":"longer than 65536 characters"}';

interface Texts {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The object's states as JSON, with names and values as in the API. For a changed object, only members that
 * differ; for a new or deleted one, all members.
 */
export function changedStates(before: object | undefined, after: object | undefined): Texts {
  const [old, fresh] = [membersOf(before), membersOf(after)];
  const isKept = (name: string): boolean =>
    !VOLATILE.has(name) && (!before || !after || !isDeepStrictEqual(old[name], fresh[name]));
  const text = (members: Readonly<Record<string, unknown>>): string => {
    const kept = Object.entries(members).filter(([name, value]) => value !== undefined && isKept(name));
    const json = JSON.stringify(Object.fromEntries(kept.map(([name, value]) => memberOf(name, value))));
    return json.length > MAX_CHARACTERS ? TOO_LONG : storableText(json);
  };
  return { before: before ? text(old) : null, after: after ? text(fresh) : null };
}

const membersOf = (state: object | undefined): Readonly<Record<string, unknown>> => ({ ...state });

function memberOf(name: string, value: unknown): readonly [string, unknown] {
  const apiName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (name.endsWith('At') && typeof value === 'number') return [apiName, rfc3339(value)];
  return [apiName, name === 'metadata' ? withoutSecrets(value) : apiValue(value)];
}

function apiValue(value: unknown): unknown {
  if (typeof value === 'bigint') return dollarsOf(value);
  if (Array.isArray(value)) return value.map(apiValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => memberOf(name, member)));
}

/** Administrators chose the names in the metadata. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && !isObject(member) ? '[redacted]' : withoutSecrets(member),
    ]),
  );
}
