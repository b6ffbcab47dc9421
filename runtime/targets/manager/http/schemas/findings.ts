import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { SCAN_RULES } from '../../scanning/finding.ts';
import { keysOf } from '#core/values/keys.ts';
import { nextCursor, struct } from './struct.ts';

const OUTCOMES = ['reported', 'blocked', 'held', 'released'] as const;

const what = {
  kind: oneOf(
    [
      'tool',
      'prompt',
      'resource',
      'resource template',
      'instructions',
      'result',
      'error',
      'request',
      'notification',
    ],
    { description: 'Kind of the item or message. `request`: the server’s request to a client.' },
  ),
  name: Type.String({
    description:
      'The tool, prompt or resource, or the method of a request or notification; empty for instructions.',
  }),
  rule: oneOf(keysOf(SCAN_RULES), { description: 'The rule that found something.' }),
  outcome: oneOf(OUTCOMES, {
    description:
      '`reported`: clients get the text. `blocked`: clients do not get it. `held`: clients do not get it until it is released. `released`: a person released or pinned it.',
  }),
};

/** Findings in the definitions of a server, as a part of its health. */
export const healthFindings = Type.Optional(
  Type.Array(closed('HealthFinding', what), {
    description: 'Possible injections in the server’s tools, prompts, resources and instructions.',
  }),
);

const finding = closed('ScanFinding', {
  server: Type.String(),
  ...what,
  pointer: Type.String({ description: 'JSON Pointer of the text in the definition or message.' }),
  excerpt: Type.String({
    description: 'The text around the finding; invisible characters are shown as `\\u{200b}`.',
  }),
  encoding: Type.Optional(Type.String({ description: 'How the text was encoded, for example `base64`.' })),
  hash: Type.Optional(Type.String({ description: 'Hash of the definition, which a release refers to.' })),
  at: Type.String({ format: 'date-time' }),
});

export const findingsBody = struct('ScanFindings', {
  findings: Type.Array(finding, {
    description:
      'By server: findings in its current definitions, then the latest ones in messages, newest first.',
  }),
  total: Type.Integer({ minimum: 0 }),
  nextCursor,
});

const ITEM_KINDS = ['tool', 'prompt', 'resource', 'resource template'] as const;

export const releaseRequest = closed('ReleaseRequest', {
  kind: Type.Optional(oneOf(ITEM_KINDS, { description: 'Default: `tool`.' })),
  name: Type.String({ description: 'Name of the tool or prompt, or URI of the resource.' }),
});

export const releasedBody = struct('Released', {
  server: Type.String(),
  kind: oneOf(ITEM_KINDS),
  name: Type.String(),
});
