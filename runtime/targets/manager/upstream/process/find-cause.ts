import { lookup } from '#core/values/lookup.ts';
/** The cause of a failure, found in a process's last lines. */
export interface Cause {
  readonly text: string;
  /** The cause with its surrounding lines. */
  readonly lines: readonly string[];
}

/** Number of lines before and after the cause that provide context. */
const LINES_BEFORE = 2;
const LINES_AFTER = 4;
const MAX_TEXT = 400;

/** Lines that programs print after a failure and that never explain it. */
const NOISE = [
  /^\s*$/,
  /^Node\.js v\d/,
  /^npm (?:error|ERR!) (?:code|errno|syscall|path|A complete log|Log files|\s|$)/,
  /^npm notice/,
  /^npm (?:error|ERR!) \d+$/,
  /^Run 'docker .*--help'/,
  /^\s+(?:at |File "|\^|~)/,
  /^[\s})\]|~^-]*$/,
  /^\s+(?:code|errno|syscall|path|requireStack|stack):/,
];

/**
 * Patterns for lines that state a cause, most specific first. The last line that matches the first matching
 * pattern wins.
 */
const CAUSES: readonly { readonly pattern: RegExp; readonly isFirst?: boolean }[] = [
  // An error that terminated Node or Python: the line with its class. Python may print several in a chain.
  { pattern: /^(?:\s*\| )*(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception|Exit)(?: \[\w+\])?(?::|$)/ },
  // npm explains the failure in its first sentence; the others give advice.
  { pattern: /^npm (?:error|ERR!) (?!\d+ Note|.*\bIn most cases)\S/, isFirst: true },
  { pattern: /^(?:error|fatal|panic|fatal error|docker)\b:?\s/i, isFirst: true },
  {
    pattern:
      /\b(?:ERR_[A-Z_]+|E(?:ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|EXIST|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTFOUND|PERM|TIMEDOUT))\b/,
  },
  {
    pattern:
      /\b(?:error|fatal|panicked|failed|cannot|could not|can't|unable to|denied|refused|not found|not provided|missing|required|invalid|unknown|unrecognized|usage)\b/i,
  },
];

/** Finds the line that explains a failure; if no line states a cause, the last line that is not noise. */
export function findCause(lines: readonly string[]): Cause | undefined {
  const useful = lines.flatMap((line, at) => (NOISE.some((noise) => noise.test(line)) ? [] : [at]));
  const found = CAUSES.map(({ pattern, isFirst = false }) => {
    const matches = useful.filter((at) => pattern.test(lines[at] ?? ''));
    return isFirst ? matches[0] : matches.at(-1);
  }).find((at) => at !== undefined);
  const at = found ?? useful.at(-1);
  if (at === undefined) return undefined;
  const from = Math.max(0, at - LINES_BEFORE);
  return { text: sentence(lines, at), lines: lines.slice(from, at + LINES_AFTER + 1) };
}

/** The cause on one line. uv prints an error's reason on the line after it. */
function sentence(lines: readonly string[], at: number): string {
  const [, detail] = /^\s+(?:cause|Caused by): (.*)$/.exec(lines[at + 1] ?? '') ?? [];
  const text = (lines[at] ?? '').trim();
  const whole = detail === undefined ? text : `${text}: ${detail.trim()}`;
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT)}…`;
}

/** Exit codes with a fixed meaning, as clauses. */
const CODES = lookup<string>({
  'code 126': 'the command cannot be executed',
  'code 127': 'a command was not found',
  'code 134': 'the process aborted itself',
  'code 137': 'the process was killed, e.g. because memory ran out',
  'code 139': 'the process crashed with a segmentation fault',
  'code 143': 'the process was asked to terminate',
  'signal SIGABRT': 'the process aborted itself',
  'signal SIGKILL': 'the process was killed, e.g. because memory ran out',
  'signal SIGSEGV': 'the process crashed with a segmentation fault',
});

/** Describes how a process exited, e.g. `code 127: a command was not found`. */
export function describeExit(how: string): string {
  const meaning = CODES[how];
  return meaning === undefined ? how : `${how}: ${meaning}`;
}
