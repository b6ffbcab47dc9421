import { Counter, type Registry } from 'prom-client';
import { canonicalJson } from '../shared/canonical-json.ts';
import { jsonSize } from '../shared/json-size.ts';
import { openLineFile } from '#platform/line-file.ts';
import { sha256 } from '#platform/sha256.ts';
import type { Logger } from '#serve/log.ts';
import type { Approval } from './call.ts';
import type { ServerCall } from './call.ts';
import type { CallKind, CallOutcome } from './metrics.ts';
import type { Redactor } from '#serve/redact.ts';

/** The form of arguments in the audit log. They can be personal data, so their hash is the default. @internal */
export type AuditArguments = 'hashed' | 'redacted';

interface AuditedCall {
  readonly call: ServerCall;
  /** Undefined if the server does not exist or the caller has no access to it. */
  readonly server: string | undefined;
  readonly kind: CallKind;
  readonly name: string;
  readonly args: unknown;
  readonly outcome: CallOutcome;
  readonly milliseconds: number;
  readonly result: unknown;
  /** The called tool by its own name. */
  readonly tool?: string | undefined;
  /** The decision of the approval rules; undefined without rules. */
  readonly approval?: Approval | undefined;
}

/** A log with one JSON line per call: its caller, target, time and outcome. */
export interface AuditLog {
  readonly record: (call: AuditedCall) => void;
  /** Reopens the file after it was renamed for rotation. */
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}

export interface AuditOptions {
  readonly path: string;
  readonly arguments: AuditArguments;
  readonly redact: Redactor;
  readonly log: Logger;
  readonly metrics?: Registry | undefined;
}

/** Maximum length of names, which come from callers, in the log. */
const MAX_NAME_LENGTH = 512;

export async function openAuditLog({
  path,
  redact,
  log,
  metrics,
  ...options
}: AuditOptions): Promise<AuditLog> {
  const file = await openLineFile(path, (problem) => log.error({ audit: path }, problem));
  if (metrics) countLost(metrics, file.lost);
  const loggedArgs = (args: unknown, server: string | undefined): unknown =>
    options.arguments === 'redacted'
      ? redact.value(args, server)
      : `sha256:${sha256(Buffer.from(canonicalJson(args)))}`;
  return {
    record({ call, server, kind, name, args, outcome, milliseconds, result, tool, approval }) {
      const entry = {
        at: new Date().toISOString(),
        requestId: call.requestId,
        caller: call.caller.name,
        server: server ?? truncate(redact.text(call.server)),
        ...(call.caller.group === undefined ? {} : { group: call.caller.group }),
        kind,
        name: truncate(redact.text(name, server)),
        ...(tool === undefined || tool.toLowerCase() === name.trim().toLowerCase()
          ? {}
          : { tool: truncate(redact.text(tool, server)) }),
        ...(approval === undefined ? {} : { approval }),
        outcome,
        ms: Math.round(milliseconds * 1000) / 1000,
        args: loggedArgs(args, server),
        ...(result === undefined ? {} : { resultCharacters: jsonSize(result) }),
      };
      file.write(JSON.stringify(entry));
    },
    reopen: file.reopen,
    close: file.close,
  };
}

function countLost(registry: Registry, lost: () => number): void {
  void new Counter({
    name: 'mcp_audit_lines_lost_total',
    help: 'Calls that could not be written to the audit log.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
}

const truncate = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
