import type { Registry } from 'prom-client';
import { LabeledCounter } from '#serve/labeled-metrics.ts';
import type { Finding, ScanRule } from './finding.ts';

/** What a finding is in: an item of a list, the server's own description, or a message. */
export type ScannedKind =
  | 'tool'
  | 'prompt'
  | 'resource'
  | 'resource template'
  | 'instructions'
  | 'result'
  | 'error'
  | 'request'
  | 'notification';

/** What happened because of a finding. */
export type ScanOutcome = 'reported' | 'blocked' | 'held' | 'released';

/** A finding with its place, as administrators see it. */
export interface ReportedFinding extends Finding {
  readonly server: string;
  readonly kind: ScannedKind;
  /** The tool, prompt or resource, or the method of a message; empty for the server itself. */
  readonly name: string;
  readonly outcome: ScanOutcome;
  /** Hash of the definition, which a release refers to; undefined for messages. */
  readonly hash?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Maximum number of findings kept per server, separately for definitions and messages. */
const MAX_KEPT = 100;

export interface ReportParts {
  readonly now: () => number;
  /** Removes secrets from a text about a server. */
  readonly redact: (text: string, server: string) => string;
  readonly warn: (server: string, text: string) => void;
  readonly metrics?: Registry | undefined;
}

/** Keeps the latest findings of each server. New ones are logged and counted. */
export class ScanReports {
  readonly #definitions = new Map<string, Map<string, readonly ReportedFinding[]>>();
  readonly #messages = new Map<string, ReportedFinding[]>();
  readonly #parts: ReportParts;
  readonly #counter: LabeledCounter<'server' | 'rule' | 'outcome'> | undefined;

  constructor(parts: ReportParts) {
    this.#parts = parts;
    this.#counter =
      parts.metrics &&
      new LabeledCounter(parts.metrics, {
        name: 'mcp_scan_findings_total',
        help: 'Injections that rules or the classifier found in texts of servers.',
        labelNames: ['server', 'rule', 'outcome'],
      });
  }

  /** Replaces the findings of one list, or of the server's instructions, except those of items that `isKept` selects. */
  replace(
    server: string,
    list: string,
    findings: readonly Omit<ReportedFinding, 'at'>[],
    isKept: (name: string) => boolean = () => false,
  ): void {
    const lists = this.#definitions.get(server) ?? new Map<string, readonly ReportedFinding[]>();
    this.#definitions.set(server, lists);
    const before = new Map((lists.get(list) ?? []).map((one) => [keyOf(one), one]));
    const others = (lists.get(list) ?? []).filter(({ name }) => isKept(name));
    const kept = findings.slice(0, MAX_KEPT).map((finding) => this.#dated(finding));
    lists.set(list, [...others, ...kept.map((one) => before.get(keyOf(one)) ?? one)].slice(-MAX_KEPT));
    for (const one of kept) if (!before.has(keyOf(one))) this.#announce(one);
  }

  /** Marks the findings of held items that `isReleased` selects as released, before clients request their list again. */
  release(isReleased: (finding: ReportedFinding) => boolean): void {
    for (const lists of this.#definitions.values()) {
      for (const [list, findings] of lists) {
        const latest = findings.map((one): ReportedFinding =>
          one.outcome === 'held' && isReleased(one) ? { ...one, outcome: 'released' } : one,
        );
        lists.set(list, latest);
        for (const [at, one] of latest.entries()) if (one !== findings[at]) this.#announce(one);
      }
    }
  }

  /** Adds findings of a message. */
  add(server: string, findings: readonly Omit<ReportedFinding, 'at'>[]): void {
    const kept = this.#messages.get(server) ?? [];
    this.#messages.set(server, kept);
    for (const finding of findings) {
      const dated = this.#dated(finding);
      // A tool can return the same text in each call, which must not fill the log.
      const isRepeated = kept.some((one) => keyOf(one) === keyOf(dated));
      kept.push(dated);
      this.#announce(dated, { isLogged: !isRepeated });
    }
    kept.splice(0, kept.length - MAX_KEPT);
  }

  /** Returns a server's findings: definitions first, then messages, newest first. */
  of(server: string): readonly ReportedFinding[] {
    const definitions = [...(this.#definitions.get(server)?.values() ?? [])].flat();
    return [...definitions, ...(this.#messages.get(server) ?? []).toReversed()];
  }

  /** Returns the findings in the server's current definitions. */
  definitionsOf(server: string): readonly ReportedFinding[] {
    return [...(this.#definitions.get(server)?.values() ?? [])].flat();
  }

  /** Drops the findings of a server that was removed. */
  forget(server: string): void {
    this.#definitions.delete(server);
    this.#messages.delete(server);
    this.#counter?.remove({ server });
  }

  servers(): readonly string[] {
    return [...new Set([...this.#definitions.keys(), ...this.#messages.keys()])];
  }

  #dated(finding: Omit<ReportedFinding, 'at'>): ReportedFinding {
    const { redact, now } = this.#parts;
    const { server, name, excerpt } = finding;
    return { ...finding, name: redact(name, server), excerpt: redact(excerpt, server), at: now() };
  }

  #announce(finding: ReportedFinding, { isLogged = true }: { readonly isLogged?: boolean } = {}): void {
    const { server, rule, outcome } = finding;
    this.#counter?.inc({ server, rule, outcome });
    if (isLogged) this.#parts.warn(server, findingText(finding));
  }
}

const keyOf = ({ kind, name, rule, pointer, outcome, excerpt }: Omit<ReportedFinding, 'at'>): string =>
  JSON.stringify([kind, name, rule, pointer, outcome, excerpt]);

const CONSEQUENCES: Readonly<Record<ScanOutcome, string>> = {
  reported: 'clients get it',
  blocked: 'withheld from clients',
  held: 'held until it is released',
  released: 'released, so that clients get it',
};

/** Describes a finding in one line. */
const findingText = ({ kind, name, rule, pointer, encoding, excerpt, outcome }: ReportedFinding): string =>
  `possible injection in the ${kind}${name === '' ? '' : ` ${name}`}${pointer === '' ? '' : ` at ${pointer}`}: ${rule}${encoding === undefined ? '' : ` (${encoding})`}: ${JSON.stringify(excerpt)}; ${CONSEQUENCES[outcome]}`;

/** The rules of findings, each once. */
export const rulesOf = (findings: readonly Finding[]): ScanRule[] => [
  ...new Set(findings.map(({ rule }) => rule)),
];
