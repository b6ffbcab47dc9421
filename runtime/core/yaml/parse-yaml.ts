import { isCollection, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { Issue } from './issue.ts';
import { syntaxIssues } from './syntax-issues.ts';

/** A parsed YAML file. `value` is undefined if the text is too broken to interpret its fields. */
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
    // These options would add the library's positions and excerpts to messages, and YAML's rarer key and value types.
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
    // All aliases are valid, so only their number can make this fail.
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
