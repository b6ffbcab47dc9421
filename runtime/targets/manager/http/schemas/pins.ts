import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { APPROVAL_ACTIONS, APPROVAL_CONDITIONS, PIN_ACTIONS } from '../../config/tool-policy.ts';
import { ITEM_KINDS } from '../../shared/list-items.ts';
import { changedItems, changedTools } from './health.ts';
import { nextCursor, struct } from './struct.ts';

const approvalRule = closed('ApprovalRule', {
  tools: Type.Array(Type.String(), { description: 'Patterns for tool names on the server.' }),
  when: Type.Optional(oneOf(APPROVAL_CONDITIONS, { description: 'Required annotations of the tool.' })),
  action: oneOf(APPROVAL_ACTIONS),
});

const toolOverride = closed('ToolOverride', {
  tool: Type.String({ description: 'Name of the tool on the server.' }),
  rename: Type.Optional(Type.String({ description: 'Tool name that clients see.' })),
  hidden: Type.Boolean({ description: 'Whether lists and searches omit the tool.' }),
  described: Type.Boolean({ description: 'Whether the description is replaced.' }),
});

const toolPolicy = closed('ToolPolicy', {
  server: Type.String(),
  pinned: Type.Integer({ minimum: 0, description: 'Number of pinned tools; 0 if the server is not pinned.' }),
  onChange: Type.Optional(
    oneOf(PIN_ACTIONS, { description: 'Action for items that are new or differ from their pin.' }),
  ),
  changedTools,
  changedItems,
  approvals: Type.Array(approvalRule, { description: 'The first rule that matches a tool applies.' }),
  overrides: Type.Array(toolOverride),
});

export const toolPoliciesBody = struct('ToolPolicies', {
  servers: Type.Array(toolPolicy, { description: 'Servers with pins, approval rules or overrides.' }),
  total: Type.Integer({ minimum: 0 }),
  nextCursor,
});

export const pinnedToolsBody = struct('PinnedTools', {
  server: Type.String(),
  tools: Type.Integer({ minimum: 0, description: 'Number of tools on the server.' }),
  differences: Type.Array(
    closed('ItemDifference', {
      kind: oneOf(ITEM_KINDS),
      name: Type.String({ description: 'Name of the item on the server; for resources, the URI.' }),
      change: oneOf(['new', 'changed', 'removed']),
      members: Type.Array(Type.String(), { description: 'Members that differ.' }),
      lines: Type.Array(Type.String(), { description: 'The removed and added lines.' }),
    }),
    { description: 'Differences from the pins that existed before the request.' },
  ),
  written: Type.Boolean({ description: 'Whether the items were pinned.' }),
});

export const removedPinsBody = struct('RemovedPins', {
  server: Type.String(),
  removed: Type.Boolean({ description: 'Whether the server had pins.' }),
});
