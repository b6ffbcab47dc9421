import { Counter, type Registry } from 'prom-client';
import { AppError } from '#contract/errors.ts';
import { canonicalJson } from '../shared/canonical-json.ts';
import { jsonSize } from '../shared/json-size.ts';
import { openLineFile } from '#platform/line-file.ts';
import { sha256 } from '#platform/sha256.ts';
import type { Logger } from '#serve/log.ts';
import type { Approval, ServerCall } from './call.ts';
import type { CallKind, CallOutcome } from './metrics.ts';
import type { Redactor } from '#serve/redact.ts';
import { open } from 'node:fs/promises';
import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import { errorCode } from '#core/values/error-code.ts';

/** How arguments appear in the audit log. They can contain personal data, so the default is a hash. @internal */
export type AuditArguments = 'hashed' | 'redacted';

/** What happens to calls while the audit log cannot be written. */
export type AuditFailure = 'continue' | 'reject';

interface AuditedCall {
  readonly call: Pick<ServerCall, 'caller' | 'requestId' | 'script' | 'isApp'> & {
    readonly server?: string | undefined;
  };
  /** Undefined if the server does not exist or the caller has no access to it, and for scripts. */
  readonly server: string | undefined;
  readonly kind: CallKind;
  readonly name: string;
  readonly args: unknown;
  readonly outcome: CallOutcome;
  readonly milliseconds: number;
  readonly result: unknown;
  /** The tool's name on its server. */
  readonly tool?: string | undefined;
  /** Decision of the approval rules; undefined without rules. */
  readonly approval?: Approval | undefined;
  /** The rules that found an injection in what the server returned. */
  readonly findings?: readonly string[] | undefined;
  /** The ID of a script, and the number of its calls. */
  readonly script?: { readonly id: string; readonly calls: number } | undefined;
}

/** How writing the audit log goes. */
export interface AuditState {
  /** Number of calls that are missing in the log. */
  readonly lost: () => number;
  /** Why the last line could not be written; undefined if it could. */
  readonly problem: () => string | undefined;
  /**
   * Whether a call can start. Undefined if it can; otherwise, writes the kept lines, and rejects with an
   * UnavailableError if that fails. With `continue`, calls can always start.
   */
  readonly ready: () => Promise<void> | undefined;
}

/** A log with one JSON line per call: caller, target, time and outcome. */
export interface CallAuditLog extends AuditState {
  readonly record: (call: AuditedCall) => void;
  /** Reopens the file after log rotation. */
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}

export interface AuditOptions {
  readonly path: string;
  readonly arguments: AuditArguments;
  readonly failure?: AuditFailure | undefined;
  readonly redact: Redactor;
  readonly log: Logger;
  readonly metrics?: Registry | undefined;
}

/** Seconds after which a client can retry a call that was rejected because the log cannot be written. */
const RETRY_SECONDS = 10;

/** Maximum length of names in the log, because callers choose them. */
const MAX_NAME_LENGTH = 512;

export async function openAuditLog({
  path,
  redact,
  log,
  metrics,
  ...options
}: AuditOptions): Promise<CallAuditLog> {
  const rejects = options.failure === 'reject';
  const file = await openLineFile(path, (problem) => log.error({ audit: path }, problem), {
    keepsLines: rejects,
  });
  let rejected = 0;
  if (metrics) {
    count(metrics, 'mcp_audit_lines_lost_total', 'Calls that are missing in the audit log.', file.lost);
    const help = 'Calls that were rejected because the audit log could not be written.';
    count(metrics, 'mcp_audit_calls_rejected_total', help, () => rejected);
  }
  const loggedArgs = (args: unknown, server: string | undefined): unknown =>
    options.arguments === 'redacted'
      ? redact.value(args, server)
      : `sha256:${sha256(Buffer.from(canonicalJson(args)))}`;
  return {
    record({
      call,
      server,
      kind,
      name,
      args,
      outcome,
      milliseconds,
      result,
      tool,
      approval,
      findings,
      script,
    }) {
      const entry = {
        at: new Date().toISOString(),
        requestId: call.requestId,
        caller: call.caller.name,
        ...(script === undefined ? { server: server ?? truncate(redact.text(call.server ?? '')) } : script),
        ...(call.script === undefined ? {} : { parent: call.script }),
        ...(call.isApp === true ? { app: true } : {}),
        ...(call.caller.group === undefined ? {} : { group: call.caller.group }),
        kind,
        name: truncate(redact.text(name, server)),
        ...(tool === undefined || tool.toLowerCase() === name.trim().toLowerCase()
          ? {}
          : { tool: truncate(redact.text(tool, server)) }),
        ...(approval === undefined ? {} : { approval }),
        ...(findings === undefined ? {} : { findings }),
        outcome,
        ms: Math.round(milliseconds * 1000) / 1000,
        args: loggedArgs(args, server),
        ...(result === undefined ? {} : { resultCharacters: jsonSize(result) }),
      };
      file.write(JSON.stringify(entry));
    },
    lost: file.lost,
    problem: file.problem,
    ready: () => (rejects && file.problem() !== undefined ? writeKept() : undefined),
    reopen: file.reopen,
    close: file.close,
  };

  async function writeKept(): Promise<void> {
    await file.retry();
    const problem = file.problem();
    if (problem === undefined) return;
    rejected += 1;
    throw new AppError(
      'UnavailableError',
      `calls are rejected, because the audit log cannot be written: ${problem}; retry in ${RETRY_SECONDS} s`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

function count(registry: Registry, name: string, help: string, value: () => number): void {
  void new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

const truncate = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

/** One line in the audit log. */
export type AuditEntry = Readonly<Record<string, unknown>>;

interface AuditQuery {
  readonly limit: number;
  /** File position before which entries are read; undefined to start at the newest. */
  readonly before?: number | undefined;
  readonly matches: (entry: AuditEntry) => boolean;
}

interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** File position of older entries; undefined if there are none. */
  readonly next: number | undefined;
}

const CHUNK_BYTES = 65_536;
/** Maximum number of bytes read per page. Finding a rare entry in a large file can take several pages. */
const MAX_BYTES = 16 * 1_048_576;
const LINE_BREAK = 0x0a;

/** Reads the entries of an audit log, starting at its end. A missing file has no entries. */
export async function readAudit(path: string, { limit, before, matches }: AuditQuery): Promise<AuditPage> {
  const file = await open(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { entries: [], next: undefined };
  try {
    const { size } = await file.stat();
    // After log rotation, the file is shorter than the previous position.
    const start = before === undefined || before > size ? size : before;
    const entries: AuditEntry[] = [];
    let position = start;
    /** The beginning of this line is in the previous chunk. */
    let rest: Buffer = Buffer.alloc(0);
    while (position > 0 && start - position < MAX_BYTES) {
      const length = Math.min(CHUNK_BYTES, position);
      const chunk = Buffer.alloc(length);
      await file.read(chunk, 0, length, position - length);
      position -= length;
      const text = Buffer.concat([chunk, rest]);
      const lines = linesOf(text);
      // The first line can start before this chunk.
      const partial = position > 0 ? lines.shift() : undefined;
      rest = text.subarray(0, partial?.end ?? 0);
      for (const { start: at, end } of lines.toReversed()) {
        const entry = entryOf(text.subarray(at, end));
        if (!entry || !matches(entry)) continue;
        entries.push(entry);
        if (entries.length < limit) continue;
        const next = position + at;
        return { entries, next: next > 0 ? next : undefined };
      }
    }
    return { entries, next: position > 0 ? position + rest.length : undefined };
  } finally {
    await file.close();
  }
}

/** Returns the start and end of each line of a text. */
function linesOf(text: Buffer): { readonly start: number; readonly end: number }[] {
  const lines = [];
  let start = 0;
  for (let end = text.indexOf(LINE_BREAK); end !== -1; end = text.indexOf(LINE_BREAK, start)) {
    lines.push({ start, end });
    start = end + 1;
  }
  return [...lines, { start, end: text.length }];
}

/** A line that is still being written, or was only partly written, is not an entry. */
function entryOf(line: Buffer): AuditEntry | undefined {
  if (line.length === 0) return undefined;
  try {
    const value = parseJsonText(line.toString());
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
