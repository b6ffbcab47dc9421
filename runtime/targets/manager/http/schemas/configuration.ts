import { Type } from 'typebox';
import { anyObject, closed, textMap } from '#serve/http/schemas.ts';
import { nextCursor, optionalTextMember, struct } from './struct.ts';
import { reload } from './admin.ts';

export const revision = Type.String({
  description: 'Identifies the file’s content. A change based on an older revision is rejected.',
});

const configuredServer = closed('ConfiguredServer', {
  name: Type.String(),
  start: Type.String({ description: 'The package, command or URL, without credentials.' }),
  enabled: Type.Boolean(),
  readOnly: Type.Boolean(),
  lazy: Type.Boolean(),
});

export const configurationBody = struct('Configuration', {
  path: Type.String({ description: 'Path of the servers file.' }),
  revision,
  editable: Type.Boolean({ description: 'Whether the file can be changed over HTTP; JSON files cannot.' }),
  servers: Type.Array(configuredServer, { description: 'All servers in the file, including disabled ones.' }),
  total: Type.Integer({ minimum: 0, description: 'Number of servers that match the search.' }),
  nextCursor,
});

export const serverConfigurationBody = struct('ServerConfiguration', {
  name: Type.String(),
  path: Type.String({ description: 'Path of the servers file.' }),
  revision,
  text: Type.String({ description: 'The server’s TOML in the file, including comments.' }),
});

export const serverTextRequest = closed('ServerText', {
  text: Type.String({ description: 'One table `[[servers]]` in TOML.' }),
  revision: Type.Optional(Type.String({ description: 'Revision on which the text is based.' })),
});

const values = (description: string) => Type.Optional(textMap({ description }));
export const newServerRequest = closed('NewServer', {
  name: Type.String({ minLength: 1, description: 'Name of the server.' }),
  settings: anyObject('The keys of the server in the file, e.g. `command`, `args` and `tools`.'),
  secrets: Type.Optional(
    closed(
      'ServerSecrets',
      {
        env: values('Environment variables.'),
        headers: values('Headers of a remote server.'),
        credentials: values('Credentials for the security schemes of an API.'),
        oauth: values('Keys in `oauth`, e.g. `client_secret`.'),
      },
      'Values for the secrets file. Responses never include them.',
    ),
  ),
});

export const editedBody = struct('EditedConfiguration', {
  diff: Type.String({
    description: 'The change to the servers file as a unified diff; empty if nothing changes.',
  }),
  written: Type.Boolean({ description: 'Whether the file was written.' }),
  warnings: Type.Array(Type.String(), {
    description: 'Warnings, e.g. about values that are stored in the secrets file.',
  }),
  applied: Type.Optional(reload),
  problem: optionalTextMember('Why the running manager did not apply the written file.'),
});
