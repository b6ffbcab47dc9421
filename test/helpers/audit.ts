import type { Page } from 'playwright-core';

/** Roles that require an accessible name. */
const NAMED_ROLES = new Set([
  'button',
  'link',
  'textbox',
  'table',
  'navigation',
  'form',
  'region',
  'heading',
]);

/** The accessibility violations of the current page. */
export async function audit(page: Page): Promise<string[]> {
  return [
    ...(await accessibilityProblems(page)),
    ...(await contrastProblems(page)),
    ...(await markupProblems(page)),
  ];
}

/** Based on the accessibility tree of the browser. */
async function accessibilityProblems(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const seen = nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties }) => ({
      role: String(role?.value),
      name: String(name?.value ?? ''),
      level: Number(properties?.find((property) => property.name === 'level')?.value.value),
    }));
  const levels = seen.filter(({ role }) => role === 'heading').map(({ level }) => level);
  return [
    ...(seen.length < 20 ? ['the tree is nearly empty'] : []),
    ...seen
      .filter(({ role, name }) => NAMED_ROLES.has(role) && name.trim() === '')
      .map(({ role }) => `a ${role} has no name`),
    ...(levels.filter((level) => level === 1).length === 1 ? [] : ['there is not exactly one h1']),
    ...levels
      .filter((level, at) => level > (levels[at - 1] ?? 0) + 1)
      .map((level) => `an h${level} follows a heading more than one level above it`),
    ...(seen.some(({ role }) => role === 'main') ? [] : ['there is no main part']),
  ];
}

/** Text needs 4.5:1 (3:1 if large), and field edges 3:1: WCAG 2.2 AA, https://www.w3.org/TR/WCAG22/#contrast-minimum */
async function contrastProblems(page: Page): Promise<string[]> {
  return await page.locator('body').evaluate((body): string[] => {
    const view = body.ownerDocument.defaultView;
    const brush = body.ownerDocument.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const paint = (colour: string): number[] => {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      return [...brush.getImageData(0, 0, 1, 1).data];
    };
    // Caches colors, because a page has few colors and thousands of elements, each of which is compared with those below it.
    const painted = new Map<string, number[]>();
    const rgba = (colour: string): number[] => {
      const known = painted.get(colour) ?? paint(colour);
      painted.set(colour, known);
      return known;
    };
    const luminance = (colour: number[]): number => {
      const [red = 0, green = 0, blue = 0] = colour.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ratio = (left: number[], right: number[]): number => {
      const [dark = 0, light = 0] = [luminance(left), luminance(right)].sort((one, other) => one - other);
      return (light + 0.05) / (dark + 0.05);
    };
    const ground = (node: typeof body): number[] => {
      for (let at = node; at; at = at.parentElement) {
        const colour = rgba(view.getComputedStyle(at).backgroundColor);
        if ((colour[3] ?? 0) > 0) return colour;
      }
      return [255, 255, 255, 255];
    };
    const problems: string[] = [];
    let texts = 0;
    for (const node of body.querySelectorAll('*')) {
      const style = view.getComputedStyle(node);
      const size = Number.parseFloat(style.fontSize);
      const box = node.getBoundingClientRect();
      if (!node.checkVisibility() || box.width <= 1 || box.height <= 1) continue;
      const about = `${node.localName}.${node.className}`;
      if (node.matches('textarea, input')) {
        const edge = ratio(rgba(style.borderTopColor), ground(node.parentElement));
        if (edge < 3) problems.push(`edge of ${about}: ${edge.toFixed(2)}`);
      }
      const own = [...node.childNodes].some(
        (child) => child.nodeType === 3 && child.textContent.trim() !== '',
      );
      if ((!own && !node.matches('textarea')) || size === 0) continue;
      texts++;
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const found = ratio(rgba(style.color), ground(node));
      if (found < (large ? 3 : 4.5))
        problems.push(`${about} "${node.textContent.slice(0, 30)}": ${found.toFixed(2)}`);
    }
    return texts < 8 ? ['hardly any text was looked at', ...problems] : problems;
  });
}

async function markupProblems(page: Page): Promise<string[]> {
  return await page.locator('html').evaluate((html): string[] => {
    const all = (selector: string): (typeof html)[] => [...html.querySelectorAll(selector)];
    const ids = all('[id]').map(({ id }) => id);
    const small = all('button')
      .filter((button) => button.checkVisibility())
      .filter((button) => Math.min(button.offsetWidth, button.offsetHeight) < 24);
    return [
      ...(html.lang === 'en' ? [] : ['the page has no language']),
      ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `two elements are #${id}`),
      ...all('table:not(:has(caption))').map(() => 'a table has no caption'),
      ...all('th:not([scope])').map((cell) => `the heading ${cell.textContent} has no scope`),
      ...small.map((button) => `the button ${button.textContent} is too small to press`),
    ];
  });
}
