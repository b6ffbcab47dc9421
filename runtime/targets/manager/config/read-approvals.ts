import { readTables } from './read-tables.ts';
import type { TableReader } from './table-reader.ts';
import { APPROVAL_ACTIONS, APPROVAL_CONDITIONS, type ApprovalRule } from './tool-policy.ts';

const KEYS = ['tools', 'when', 'action'];

/** Reads `approvals` of a server: rules for calls of its tools. */
export function readApprovals(server: TableReader): ApprovalRule[] {
  const rules = readTables({
    value: server.any('approvals'),
    report: (message, key) => server.report(message, key),
    key: 'approvals',
    known: KEYS,
  });
  return rules.flatMap((rule) => {
    const action = rule.choice('action', APPROVAL_ACTIONS);
    const tools = rule.texts('tools') ?? ['*'];
    const when = rule.choice('when', APPROVAL_CONDITIONS);
    if (action !== undefined) return [{ tools, when, action }];
    if (!rule.mentions('action')) rule.report(`action is missing. Use ${APPROVAL_ACTIONS.join(', ')}.`);
    return [];
  });
}
