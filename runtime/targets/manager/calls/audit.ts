import { Counter, type Registry } from 'prom-client';
import { canonicalJson } from '../shared/canonical-json.ts';
import { jsonSize } from '../shared/json-size.ts';
import { openLineFile } from '../../../platform/line-file.ts';
import { sha256 } from '../../../platform/sha256.ts';
import type { Logger } from '../../../serve/log.ts';
import type { ServerCall } from './call.ts';
import type { CallKind, CallOutcome } from './metrics.ts';
import type { Redactor } from '../../../serve/redact.ts';

/** Arguments are personal: recorded is either what identifies them, or what is left of them without secrets. @internal */
export type AuditArguments = 'hashed' | 'redacted';

interface AuditedCall {
  readonly call: ServerCall;
  /** Undefined if there is no such server, or not for this caller. */
  readonly server: string | undefined;
  readonly kind: CallKind;
  readonly name: string;
  readonly args: unknown;
  readonly outcome: CallOutcome;
  readonly milliseconds: number;
  readonly result: unknown;
}

/** Who called what, when, and how it went: one line of JSON for each call. */
export interface AuditLog {
  readonly record: (call: AuditedCall) => void;
  /** Goes on in a new file, after the old one was moved away. */
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

/** Names come from callers, and may be of any length. */
const LONGEST_NAME = 512;

export async function openAuditLog({
  path,
  redact,
  log,
  metrics,
  ...options
}: AuditOptions): Promise<AuditLog> {
  const file = await openLineFile(path, (trouble) => log.error({ audit: path }, trouble));
  if (metrics) countLost(metrics, file.lost);
  const shown = (args: unknown, server: string | undefined): unknown =>
    options.arguments === 'redacted'
      ? redact.value(args, server)
      : `sha256:${sha256(Buffer.from(canonicalJson(args)))}`;
  return {
    record({ call, server, kind, name, args, outcome, milliseconds, result }) {
      const entry = {
        at: new Date().toISOString(),
        requestId: call.requestId,
        caller: call.caller.name,
        server: server ?? cut(redact.text(call.server)),
        kind,
        name: cut(redact.text(name, server)),
        outcome,
        ms: Math.round(milliseconds * 1000) / 1000,
        args: shown(args, server),
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
    help: 'Calls that could not be recorded.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
}

const cut = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
