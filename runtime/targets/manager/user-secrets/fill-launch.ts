import { createRedactions, type Secret } from '#core/text/redactions.ts';
import { messageOf } from '#contract/errors.ts';
import type { ServerUser } from '../access/caller.ts';
import type { Launch, ServerSpec } from '../config/spec.ts';
import {
  hasReferences,
  replaceReferences,
  type UserReference,
  writtenReference,
} from '../config/user-references.ts';
import type { UserSecrets } from './user-secrets.ts';

/** Why the values of a user cannot be filled in, with the secrets that are missing. */
export interface FillProblem {
  readonly message: string;
  readonly secrets: readonly string[];
}

export interface FilledLaunch {
  readonly launch: Launch;
  readonly problem?: FillProblem | undefined;
}

export interface FilledHeaders {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly problem?: FillProblem | undefined;
}

/** Where a value is used, which determines the characters that are allowed. */
type Place = 'env' | 'args' | 'headers';

export interface FillParts {
  readonly secrets: Pick<UserSecrets, 'value'>;
  /** Receives the secrets that are used, so that logs and errors do not contain them. */
  readonly onSecret: (secrets: readonly Secret[]) => void;
}

/** Returns a server's launch with the values of a user. With a problem, the launch is unchanged. */
export function fillLaunch(
  { name, launch }: Pick<ServerSpec, 'name' | 'launch'>,
  user: ServerUser,
  parts: FillParts,
): FilledLaunch {
  if (launch.kind === 'unusable' || !launch.userValues) return { launch };
  const filler = createFiller(name, user, parts);
  const filled =
    launch.kind === 'process'
      ? {
          ...launch,
          args: launch.args.map((arg) => filler.fill('args', arg)),
          env: filler.record('env', launch.env),
        }
      : { ...launch, headers: filler.record('headers', launch.headers) };
  const problem = filler.problem();
  return problem ? { launch, problem } : { launch: filled };
}

/** Returns headers with the values of a user. */
export function fillHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
  user: ServerUser,
  parts: FillParts,
): FilledHeaders {
  const filler = createFiller(server, user, parts);
  const filled = filler.record('headers', headers);
  const problem = filler.problem();
  // Lower case, as in all headers of requests, so that no header is sent twice.
  return problem
    ? { problem }
    : {
        headers: Object.fromEntries(
          Object.entries(filled).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      };
}

interface Filler {
  fill(place: Place, text: string): string;
  record(place: Place, record: Readonly<Record<string, string>>): Record<string, string>;
  problem(): FillProblem | undefined;
}

function createFiller(server: string, user: ServerUser, { secrets, onSecret }: FillParts): Filler {
  const missing = new Set<string>();
  const problems: string[] = [];
  const valueOf = (reference: UserReference): string | undefined => {
    if (user.user === undefined) return undefined;
    if (reference.kind === 'id') return user.userId;
    if (reference.kind === 'claim') return claimOf(user.claims, reference.name);
    const value = readSecret(user.user, reference.name);
    if (value === undefined) missing.add(reference.name);
    else hide(reference.name, value);
    return value;
  };
  const readSecret = (owner: string, name: string): string | undefined => {
    try {
      return secrets.value(owner, name);
    } catch (error) {
      problems.push(messageOf(error));
      return '';
    }
  };
  const hide = (name: string, value: string): void => {
    const redactions = createRedactions();
    redactions.add(value, [name, 'secret'], server);
    onSecret(redactions.all());
  };
  const fill: Filler['fill'] = (place, text) => {
    if (!hasReferences(text)) return text;
    let position = 0;
    return replaceReferences(text, (reference) => {
      position += 1;
      const value = valueOf(reference);
      const isFirst = position === 1 && text.startsWith('\0');
      const rule = value === undefined ? undefined : brokenRule(value, reference, place, isFirst);
      if (rule !== undefined) problems.push(`the value of ${writtenReference(reference)} ${rule}`);
      else if (value === undefined && reference.kind !== 'secret')
        problems.push(
          reference.kind === 'id'
            ? 'the manager cannot identify the caller'
            : `${writtenReference(reference)} requires an access token with the claim ${reference.name}`,
        );
      return value ?? '';
    });
  };
  return {
    fill,
    record: (place, record) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fill(place, value)])),
    problem() {
      const [problem] = problems;
      if (problem !== undefined)
        return { message: `server ${server}: ${problem.replace(/\.$/, '')}.`, secrets: [] };
      if (missing.size === 0) return undefined;
      const names = [...missing];
      const noun = names.length === 1 ? 'secret' : 'secrets';
      return { message: `server ${server} requires your ${noun} ${names.join(', ')}.`, secrets: names };
    },
  };
}

function claimOf(claims: ServerUser['claims'], name: string): string | undefined {
  const value = claims !== undefined && Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * Returns why a user's value is not allowed in a place. A user could otherwise set an option of the program, leave a
 * folder of the configuration, or add a header.
 */
function brokenRule(
  value: string,
  { kind }: UserReference,
  place: Place,
  isFirst: boolean,
): string | undefined {
  if (place === 'headers') {
    return HEADER_VALUE.test(value) ? undefined : 'contains characters that are not allowed in headers';
  }
  if (value.includes('\0')) return 'contains a NUL character';
  if (place === 'args' && isFirst && value.startsWith('-')) return 'must not start with "-"';
  // Secrets are opaque; names are often parts of paths.
  if (kind !== 'secret' && (/[/\\\p{Cc}]/u.test(value) || value === '.' || value === '..')) {
    return 'must not be a path, because it is used in env or args';
  }
  return undefined;
}

const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;
