import { isCollection, LineCounter, parseDocument, visit, type Document, type YAMLError } from 'yaml';
import type { Issue } from './issue.ts';
import { pathOfKey, startOfScalarAround } from './locate.ts';

/**
 * A parsed YAML file. `value` is undefined if the text has errors because of which its fields
 * cannot be interpreted.
 */
export interface ParsedYaml {
  readonly text: string;
  readonly doc: Document.Parsed;
  readonly lines: LineCounter;
  readonly issues: readonly Issue[];
  readonly value: unknown;
}

export function parseYaml(raw: string): ParsedYaml {
  // A byte order mark is not part of the first line.
  const text = raw.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const doc = parseDocument(text, {
    lineCounter: lines,
    // Options of the YAML library. By default, it adds positions and excerpts to messages, and
    // supports YAML's rarer key and value types.
    prettyErrors: false,
    stringKeys: true,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const broken = (issue: Issue): ParsedYaml => ({ text, doc, lines, issues: [issue], value: undefined });
  const misread = text.search(/[\uFFFD\0]/);
  if (misread >= 0) return broken({ offset: misread, path: '', message: NOT_UTF8 });

  const { issues, fatal } = syntaxIssues(doc, text);
  if (fatal) return { text, doc, lines, issues, value: undefined };
  const useless = uselessAlias(doc);
  if (useless) return broken(useless);
  try {
    return { text, doc, lines, issues, value: doc.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch {
    // This can only fail if there are too many aliases, because all aliases are valid.
    return broken({
      offset: firstAlias(doc),
      path: '',
      message: 'too many alias references (`*name`); write the values out',
    });
  }
}

const MAX_ALIASES = 100;
const NOT_UTF8 = 'this character is not valid UTF-8; save the file as UTF-8';

function uselessAlias(doc: Document.Parsed): Issue | undefined {
  const anchors = new Set<string>();
  let issue: Issue | undefined;
  visit(doc, {
    Alias(_, alias, ancestors) {
      const isInside = ancestors.some((node) => isCollection(node) && node.anchor === alias.source);
      if (anchors.has(alias.source) && !isInside) return undefined;
      const message = isInside
        ? `\`*${alias.source}\` refers to a value that contains it`
        : `no anchor \`&${alias.source}\` is defined above`;
      issue = { offset: alias.range?.[0] ?? 0, path: '', message };
      return visit.BREAK;
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return issue;
}

function firstAlias(doc: Document.Parsed): number {
  let offset = 0;
  visit(doc, {
    Alias(_, alias) {
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/**
 * Our messages for the errors of the YAML parser. `fatal` means that fields cannot be interpreted
 * reliably.
 */
function syntaxIssues(doc: Document.Parsed, text: string): { issues: Issue[]; fatal: boolean } {
  const problems = [...doc.errors, ...doc.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const issues = onePerLine(problems, text).map((problem) => ({
    offset: offsetOf(problem, doc),
    path: problem.code === 'DUPLICATE_KEY' ? pathOfKey(doc, problem.pos[0]) : '',
    message: words(problem, text),
  }));
  return { issues, fatal: problems.some(({ code }) => !HARMLESS.has(code)) };
}

/**
 * Errors after which the document can still be validated, so that other problems are reported in
 * the same run.
 */
const HARMLESS: ReadonlySet<YAMLError['code']> = new Set(['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

const WORDS: { readonly [code in YAMLError['code']]?: string } = {
  TAB_AS_INDENT: 'this line is indented with a tab; YAML allows only spaces',
  DUPLICATE_KEY: 'duplicate key; remove one',
  MULTIPLE_DOCS: 'a second document starts here; only one document is allowed',
  NON_STRING_KEY: 'keys must be plain strings',
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

/**
 * Returns the position of a problem. For an unclosed quote, it is the position of the quote,
 * because the parser only detects the error at the end of the file.
 */
function offsetOf(problem: YAMLError, doc: Document.Parsed): number {
  const [end] = problem.pos;
  return (isOpenQuote(problem) && startOfScalarAround(doc, end)) || end;
}

const isOpenQuote = ({ code, message }: Pick<YAMLError, 'code' | 'message'>): boolean =>
  code === 'MISSING_CHAR' && message.endsWith('quote');

/**
 * Keeps only the first message about each line: one mistake can cause several parser errors, and
 * the first one is the most useful.
 */
function onePerLine(problems: readonly YAMLError[], text: string): YAMLError[] {
  const deep = problems.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (deep) return [deep];
  return problems.filter(({ pos: [offset] }, index) => {
    const before = problems[index - 1];
    return before === undefined || text.slice(before.pos[0], offset).includes('\n');
  });
}
