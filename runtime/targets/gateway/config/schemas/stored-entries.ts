import type { Static } from 'typebox';
import { Type } from 'typebox';
import { aws, google, provider } from './providers.ts';
import { aliasSettings } from './routing.ts';
import { keys } from './shapes.ts';

const { path: _program, provider_type: _older, client_args: _args, ...settings } = provider.properties;
const { profile: _profile, ...awsKeys } = aws.properties;
const { credentials: _file, ...googleProject } = google.properties;

/**
 * A provider stored in the database. Unlike one in the file, it cannot refer to programs, files or profiles
 * on the machine: gateway administrators are not necessarily administrators of the machine.
 */
export const storedProvider = keys(
  {
    ...settings,
    aws: Type.Optional(keys(awsKeys, 'Amazon Bedrock: region and keys.')),
    google: Type.Optional(keys(googleProject, 'Vertex AI: project and location.')),
  },
  'A provider that is stored in the database.',
);

/** An alias stored in the database. */
export const storedAlias = aliasSettings;

export type StoredProviderEntry = Static<typeof storedProvider>;
export type StoredAliasEntry = Static<typeof storedAlias>;
