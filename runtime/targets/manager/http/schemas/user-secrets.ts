import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { MAX_SECRET_LENGTH } from '../../user-secrets/user-secrets.ts';
import { dateTimeMember, struct } from './struct.ts';

const names = (description: string) => Type.Array(Type.String(), { description });

const userSecret = closed(
  'UserSecret',
  {
    name: Type.String(),
    isSet: Type.Boolean({ description: 'Whether the caller has set the secret.' }),
    servers: names('The servers that use it; empty if none does any more.'),
    changed: dateTimeMember('Time of the last change.'),
  },
  'One of the caller’s secrets, without its value.',
);
export const userSecretsBody = struct('UserSecrets', {
  secrets: Type.Array(userSecret, { description: 'The secrets, sorted by name.' }),
});

const value = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH, description: 'The value.' });
export const newUserSecret = struct('NewUserSecret', { value });

export const changedUserSecrets = struct('ChangedUserSecrets', {
  changed: names('The names of the secrets that were set or removed.'),
});

export const secretLinkBody = struct('SecretLink', {
  server: Type.String({ description: 'The server that requires the secrets.' }),
  secrets: names('The names of the secrets to set.'),
});
export const linkedSecrets = struct('LinkedSecrets', {
  secrets: Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: value,
    description: 'The values of all secrets of the link, by name.',
  }),
});
