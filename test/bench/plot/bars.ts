import { escapeXml } from '../../helpers/escape-xml.ts';

/** A group of bars with a title, for example one scenario. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly isOurs: boolean }[];
}

const WIDTH = 760;
const LABEL_WIDTH = 190;
const VALUE_WIDTH = 70;
const BAR = 16;
const GAP = 5;
const GROUP_GAP = 26;
const TOP = 44;

/** Colors for light and dark pages; the browser selects them by the reader's theme. */
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px } .group { font-weight: 600 } .value { fill: #59636e }
.ours { fill: #0969da } .other { fill: #afb8c1 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .value { fill: #9198a1 } .ours { fill: #4493f8 } .other { fill: #545d68 }
}`;

/** Draws horizontal bars as an SVG document; each group has its own scale. */
export function barPlot(title: string, groups: readonly BarGroup[]): string {
  const parts: string[] = [];
  let y = TOP;
  for (const { title: name, bars } of groups) {
    parts.push(text(0, y, name, 'group'));
    y += 8;
    const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    for (const { label, value, isOurs } of bars) {
      const width = Math.max(1, (value / most) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH));
      parts.push(
        text(LABEL_WIDTH - 8, y + BAR - 4, label, 'label', 'end'),
        `<rect class="${isOurs ? 'ours' : 'other'}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`,
        text(LABEL_WIDTH + width + 6, y + BAR - 4, shown(value), 'value'),
      );
      y += BAR + GAP;
    }
    y += GROUP_GAP;
  }
  const height = y - GROUP_GAP + GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${STYLE}\n</style>`,
    text(0, 18, title, 'title'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, kind: string, anchor?: 'end'): string {
  const end = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y}"${end}>${escapeXml(content)}</text>`;
}

const shown = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));
