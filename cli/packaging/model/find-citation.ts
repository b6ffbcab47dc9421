/** Maximum number of characters of a citation; a longer one is usually a list of all papers of a library. */
export const MAX_CITATION_LENGTH = 8192;

/** Finds the BibTeX entries in the section about citation of a model card: its blocks of code, up to the next heading of its level. */
export function findCitation(card: string): string | undefined {
  const entries = new Set<string>();
  let sectionLevel: number | undefined;
  let fence: string | undefined;
  let block: string[] = [];
  for (const line of card.split(/\r?\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) !== true) block.push(line);
      else {
        if (sectionLevel !== undefined && block.some(isEntry)) entries.add(block.join('\n').trim());
        fence = undefined;
      }
    } else if (mark !== undefined) {
      fence = mark;
      block = [];
    } else {
      const [, { length: level } = '', heading = ''] = /^ {0,3}(#{1,6})\s(.*)$/.exec(line) ?? [];
      if (level === 0) continue;
      if (sectionLevel === undefined || level <= sectionLevel)
        sectionLevel = IS_CITATION.test(heading) ? level : undefined;
    }
  }
  return entries.size === 0 ? undefined : [...entries].join('\n\n');
}

const isEntry = (line: string): boolean => /^\s*@\w+\s*\{/.test(line);
const IS_CITATION = /\b(?:citations?|citing|cite)\b/i;
