import type { CallAuditLog } from '#manager/calls/audit.ts';

type AuditedCall = Parameters<CallAuditLog['record']>[0];

/** An audit log in memory. */
export function recordedAudit(): { readonly audit: CallAuditLog; readonly entries: AuditedCall[] } {
  const entries: AuditedCall[] = [];
  const audit: CallAuditLog = {
    record: (call) => void entries.push(call),
    lost: () => 0,
    problem: () => undefined,
    ready: () => undefined,
    reopen() {},
    close: () => Promise.resolve(),
  };
  return { audit, entries };
}
