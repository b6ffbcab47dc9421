import { escapeXml } from '../helpers/escape-xml.ts';

/** A command and its output. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

const COLUMNS = 116;
const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 18;
const TOP = 46;
/** Seconds between two commands, and between two lines of output. */
const PAUSE = 1.6;
const STEP = 0.12;

const STYLE = `
text { font: 14px ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d1d9e0; white-space: pre }
.prompt { fill: #4493f8 } .command { fill: #ffffff; font-weight: 600 }
.line { opacity: 0; animation: show 0.01s linear forwards }
@keyframes show { to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { .line { opacity: 1; animation: none } }`;

/** Draws a terminal in which commands and their output appear one after another, as an SVG document. */
export function terminalSvg(title: string, steps: readonly Step[]): string {
  const parts: string[] = [];
  let row = 0;
  let seconds = 0.3;
  const add = (content: string): void => {
    const y = TOP + row * LINE;
    parts.push(
      `<text class="line" style="animation-delay:${seconds.toFixed(2)}s" x="${MARGIN}" y="${y}">${content}</text>`,
    );
    row += 1;
    seconds += STEP;
  };
  for (const { command, output } of steps) {
    const [first = '', ...rest] = command.split('\n');
    add(
      `<tspan class="prompt">$ </tspan><tspan class="command" xml:space="preserve">${escapeXml(first)}</tspan>`,
    );
    for (const line of rest)
      add(`<tspan class="command" xml:space="preserve">${escapeXml(`    ${line.trim()}`)}</tspan>`);
    seconds += PAUSE / 2;
    for (const line of output.split('\n').flatMap(wrapped)) {
      add(`<tspan xml:space="preserve">${escapeXml(line)}</tspan>`);
    }
    row += 0.6;
    seconds += PAUSE;
  }
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = Math.ceil(TOP + (row - 1) * LINE + MARGIN);
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) => `<circle cx="${MARGIN + 6 + index * 18}" cy="17" r="5.5" fill="${color}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#15191f"/>`,
    ...dots,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** The terminal lines for a line of output. */
function wrapped(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  return [line.slice(0, COLUMNS), ...wrapped(line.slice(COLUMNS))];
}
