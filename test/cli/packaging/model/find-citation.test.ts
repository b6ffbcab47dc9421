import { describe, expect, test } from 'vitest';
import { findCitation } from '#cli/packaging/model/read-card.ts';

const ENTRY = '@misc{one,\n  title = {# One},\n}';
const OTHER = '@article{two, title = {Two}}';
const block = (content: string, mark = '```'): string => `${mark}bibtex\n${content}\n${mark}\n`;

describe('the citation in a model card', () => {
  test.each([
    ['a section', `# Model\n\n## Citation\n\nPlease cite:\n\n${block(ENTRY)}`, ENTRY],
    ['a heading with more words', `### How to cite this model\n${block(ENTRY)}`, ENTRY],
    ['the words of a template', `## Citation [optional]\n\n**BibTeX:**\n\n${block(ENTRY)}`, ENTRY],
    [
      'sections below it',
      `## Citation\n### BibTeX\n#### One\n${block(ENTRY)}#### Two\n${block(OTHER)}`,
      `${ENTRY}\n\n${OTHER}`,
    ],
    ['an entry that is repeated', `## Citing\n${block(ENTRY)}\n${block(ENTRY)}`, ENTRY],
    ['other marks and line ends', `## Citation\n${block(ENTRY, '~~~~')}`.replaceAll('\n', '\r\n'), ENTRY],
    ['the next section', `## Citation\n## Usage\n${block(ENTRY)}`, undefined],
    ['code of another language', '## Citation\n```python\n@decorator\ndef f(): pass\n```\n', undefined],
    ['a heading inside code', `\`\`\`\n## Citation\n\`\`\`\n${block(ENTRY)}`, undefined],
    ['a block without an end', `## Citation\n\`\`\`bibtex\n${ENTRY}`, undefined],
    ['a text without sections', block(ENTRY), undefined],
    ['an empty text', '', undefined],
  ])('%s', (_, card, expected) => {
    expect(findCitation(card)).toBe(expected);
  });
});
