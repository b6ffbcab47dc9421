import { describe, expect, test } from 'vitest';
import { findCitation } from '#cli/packaging/model/read-card.ts';

const ENTRY = '@misc{one,\n  title = {# One},\n}';
const OTHER = '@article{two, title = {Two}}';
const block = (content: string, mark = '```'): string => `${mark}bibtex\n${content}\n${mark}\n`;

describe('the citation in a model card', () => {
  test.each([
    ['a citation section', `# Model\n\n## Citation\n\nPlease cite:\n\n${block(ENTRY)}`, ENTRY],
    ['a heading with more words', `### How to cite this model\n${block(ENTRY)}`, ENTRY],
    ['a template heading', `## Citation [optional]\n\n**BibTeX:**\n\n${block(ENTRY)}`, ENTRY],
    [
      'subsections',
      `## Citation\n### BibTeX\n#### One\n${block(ENTRY)}#### Two\n${block(OTHER)}`,
      `${ENTRY}\n\n${OTHER}`,
    ],
    ['a repeated entry', `## Citing\n${block(ENTRY)}\n${block(ENTRY)}`, ENTRY],
    ['other fences and line endings', `## Citation\n${block(ENTRY, '~~~~')}`.replaceAll('\n', '\r\n'), ENTRY],
    ['an entry in the next section', `## Citation\n## Usage\n${block(ENTRY)}`, undefined],
    ['code in another language', '## Citation\n```python\n@decorator\ndef f(): pass\n```\n', undefined],
    ['a heading inside code', `\`\`\`\n## Citation\n\`\`\`\n${block(ENTRY)}`, undefined],
    ['an unterminated block', `## Citation\n\`\`\`bibtex\n${ENTRY}`, undefined],
    ['a text without sections', block(ENTRY), undefined],
    ['an empty text', '', undefined],
  ])('is correct for %s', (_, card, expected) => {
    expect(findCitation(card)).toBe(expected);
  });
});
