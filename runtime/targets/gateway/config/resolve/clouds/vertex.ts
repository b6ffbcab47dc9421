import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOrAccountFolder } from '#platform/files/home-folder.ts';
import type { GoogleSource } from '../../../providers/adapters/access/google-token.ts';
import { vertexUrl } from '../../../providers/adapters/vertex/open.ts';
import { pathIn } from '../context.ts';
import type { CloudEntry, ResolveCloud } from './cloud.ts';

const METADATA_HOST = 'metadata.google.internal';

export const resolveVertex: ResolveCloud = (parts) => {
  const { context, path, entry, written, apiKey } = parts;
  const { report, flagsAndEnv } = context;
  const { google = {} } = entry;
  const project = google.project ?? flagsAndEnv.variable('GOOGLE_CLOUD_PROJECT');
  if (apiKey !== undefined) {
    report(
      [...path, 'api_key'],
      'type vertex has no key; set `google.credentials`, or use type gemini',
      'key',
    );
    return undefined;
  }
  if (project === undefined) {
    report(path, 'type vertex requires a project; set `google.project`, or GOOGLE_CLOUD_PROJECT', 'key');
    return undefined;
  }
  const location = google.location ?? flagsAndEnv.variable('GOOGLE_CLOUD_LOCATION') ?? 'global';
  if (!/^[a-z][a-z0-9-]*$/.test(location)) {
    report(
      [...path, 'google', 'location'],
      `\`${location}\` is not a location; expected a name such as europe-west1`,
    );
    return undefined;
  }
  const credentials = credentialsOf(parts);
  if (!credentials) return undefined;
  return {
    baseUrl: written ?? vertexUrl(location),
    apiKey: undefined,
    cloud: { kind: 'vertex', project, location, credentials },
    secrets: [],
  };
};

/** The credentials file from the entry, the environment or gcloud; otherwise the machine's own credentials. */
function credentialsOf({ context, path, entry }: CloudEntry): GoogleSource | undefined {
  const { flagsAndEnv, report } = context;
  const own = entry.google?.credentials;
  if (own !== undefined) {
    const file = pathIn(context, own);
    if (existsSync(file)) return { kind: 'file', path: file };
    report([...path, 'google', 'credentials'], `${file} does not exist; correct the path`);
    return undefined;
  }
  const variable = flagsAndEnv.variable('GOOGLE_APPLICATION_CREDENTIALS');
  if (variable !== undefined) {
    if (existsSync(variable)) return { kind: 'file', path: variable };
    report(path, `GOOGLE_APPLICATION_CREDENTIALS: ${variable} does not exist; correct the path`, 'key');
    return undefined;
  }
  const folder =
    flagsAndEnv.variable('CLOUDSDK_CONFIG') ?? join(homeOrAccountFolder() ?? '/', '.config', 'gcloud');
  const file = join(folder, 'application_default_credentials.json');
  if (existsSync(file)) return { kind: 'file', path: file };
  return { kind: 'metadata', url: `http://${flagsAndEnv.variable('GCE_METADATA_HOST') ?? METADATA_HOST}` };
}
