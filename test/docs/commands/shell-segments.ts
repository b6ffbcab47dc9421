/**
 * The simple commands in a shell text, as lists of words: those in pipelines, lists and `$(…)`. Comments and redirections are omitted. This
 * is all that the pages use of the grammar.
 */
export function shellSegments(text: string): string[][] {
  const segments: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isRedirected = false;
  const endWord = (): void => {
    if (word !== undefined && !isRedirected) words.push(word);
    if (word !== undefined) isRedirected = false;
    word = undefined;
  };
  const endSegment = (): void => {
    endWord();
    if (words.length > 0) segments.push(words);
    [words, isRedirected] = [[], false];
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\\\n|^[ \t]/.test(token)) endWord();
    else if (token.startsWith('#') && word === undefined) continue;
    else if (/^[|&;\n]+$|^\)$/.test(token)) endSegment();
    else if (/^\d?[<>]/.test(token)) {
      endWord();
      isRedirected = true;
    } else if (token === '$(') {
      endSegment();
    } else {
      segments.push(...shellSegments(token.startsWith('"') ? nestedIn(token) : ''));
      word = `${word ?? ''}${token.replaceAll(/^["']|["']$/g, '')}`;
    }
  }
  endSegment();
  return segments;
}

const TOKEN =
  /\\\n|[ \t]+|#[^\n]*|[|&;\n]+|\$\(|\)|\d?[<>]+&?|"(?:[^"\\]|\\[^])*"|'[^']*'|\\.|[^\s"'|&;()<>#\\$]+|[^]/g;

/** The commands of `$(…)` in a quoted word. */
const nestedIn = (quoted: string): string =>
  [...quoted.matchAll(/\$\(([^()]*)\)/g)].map(([, inner = '']) => inner).join('\n');
