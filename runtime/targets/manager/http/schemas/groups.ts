import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { MCP_MODES } from '../../config/mcp-mode.ts';
import { struct } from './struct.ts';
import { revision } from './configuration.ts';

const DESCRIPTIONS = {
  servers: 'Server patterns.',
  tools: '`server/tool` patterns; on a server mentioned here, the group contains only matching tools.',
  prompts: 'Patterns `server/prompt`.',
  resources: 'Patterns `server/uri`.',
};
const patterns = (list: keyof typeof DESCRIPTIONS) =>
  Type.Array(Type.String(), { description: DESCRIPTIONS[list] });
const optional = (list: keyof typeof DESCRIPTIONS) => Type.Optional(patterns(list));

const lists = {
  servers: patterns('servers'),
  tools: patterns('tools'),
  prompts: patterns('prompts'),
  resources: patterns('resources'),
};

const mcpMode = Type.Optional(
  oneOf(MCP_MODES, {
    description: 'Tools at the MCP endpoint of the group. Default: the mode of the manager.',
  }),
);

export const groupsBody = struct('Groups', {
  groups: Type.Array(closed('Group', { name: Type.String(), ...lists, mcpMode })),
});

export const groupConfigurationBody = struct('GroupConfiguration', {
  name: Type.String(),
  path: Type.String({ description: 'Path of the servers file.' }),
  revision,
  ...lists,
  mcpMode,
});

export const groupRequest = closed('ConfiguredGroup', {
  name: Type.String({ minLength: 1, description: 'Name of the group.' }),
  servers: optional('servers'),
  tools: optional('tools'),
  prompts: optional('prompts'),
  resources: optional('resources'),
  mcpMode,
  revision: Type.Optional(Type.String({ description: 'Revision of the file on which the change is based.' })),
});
