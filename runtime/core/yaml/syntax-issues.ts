import type { Document, YAMLError } from 'yaml';
import type { Issue } from './issue.ts';
import { pathOfKey, startOfScalarAround } from './locate.ts';

/** Errors of the YAML parser in our wording. `fatal` means that fields cannot be interpreted reliably. */
export function syntaxIssues(doc: Document.Parsed, text: string): { issues: Issue[]; fatal: boolean } {
  const problems = [...doc.errors, ...doc.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const issues = onePerLine(problems, text).map((problem) => ({
    offset: offsetOf(problem, doc),
    path: problem.code === 'DUPLICATE_KEY' ? pathOfKey(doc, problem.pos[0]) : '',
    message: words(problem, text),
  }));
  return { issues, fatal: problems.some(({ code }) => !HARMLESS.has(code)) };
}

/** Errors after which the tree can still be validated, so that other problems are reported in the same run. */
const HARMLESS: ReadonlySet<YAMLError['code']> = new Set(['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

const WORDS: { readonly [code in YAMLError['code']]?: string } = {
  TAB_AS_INDENT: 'this line is indented with a tab; YAML allows only spaces',
  DUPLICATE_KEY: 'duplicate key; remove one',
  MULTIPLE_DOCS: 'a second document starts here; only one document is allowed',
  NON_STRING_KEY: 'a key must be plain text',
  TAG_RESOLVE_FAILED: 'tags (`!name`) are not supported; remove the tag',
  RESOURCE_EXHAUSTION: 'nested too deeply',
};

function words({ code, message, pos: [offset] }: YAMLError, text: string): string {
  if (isOpenQuote({ code, message })) return 'this quote is never closed';
  if (code === 'BLOCK_AS_IMPLICIT_KEY') {
    const line = text.slice(offset).split('\n', 1)[0] ?? '';
    return /:\s/.test(line)
      ? 'a value that contains `: ` must be quoted'
      : 'the next line is indented too far';
  }
  if (message.endsWith('at node end'))
    return 'unexpected text after the value; quote the whole value, or close a quote left open above';
  const sentence = WORDS[code] ?? `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`;
  return code === 'BAD_SCALAR_START' ? `${sentence}; put the value in quotes` : sentence;
}

/** The parser notices an open quote at the end of the file, but the user needs to know where it opens. */
function offsetOf(problem: YAMLError, doc: Document.Parsed): number {
  const [end] = problem.pos;
  return (isOpenQuote(problem) && startOfScalarAround(doc, end)) || end;
}

const isOpenQuote = ({ code, message }: Pick<YAMLError, 'code' | 'message'>): boolean =>
  code === 'MISSING_CHAR' && message.endsWith('quote');

/** One mistake confuses the parser several times; its first message about a line is the useful one. */
function onePerLine(problems: readonly YAMLError[], text: string): YAMLError[] {
  const deep = problems.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (deep) return [deep];
  return problems.filter(({ pos: [offset] }, index) => {
    const before = problems[index - 1];
    return before === undefined || text.slice(before.pos[0], offset).includes('\n');
  });
}
