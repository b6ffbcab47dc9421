import { githubSlug } from './slug.ts';

/** A link in a page, as written. */
export interface Link {
  readonly target: string;
  /** Position of the target in the text. */
  readonly at: number;
}

const CODE = /^(`{3,}|~{3,})[^]*?^\1|`[^`\n]*`|^ {4}.*$/gm;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} +(.*)$/gm;

/** The text with code replaced by spaces, so that positions stay the same. */
const withoutCode = (text: string): string => text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '));

/** The links and images in a page, except those in code. */
export function linksIn(text: string): Link[] {
  return [...withoutCode(text).matchAll(LINK)].map(({ 1: target = '', index }) => ({
    target,
    at: index + 2,
  }));
}

/** The anchors of a page's headings. Repeated headings get a number. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>();
  const blocks = text.replaceAll(/^(`{3,}|~{3,})[^]*?^\1/gm, '');
  for (const [, heading = ''] of blocks.matchAll(HEADING)) {
    const slug = githubSlug(plainText(heading));
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** A page's title: its first heading. */
export const titleOf = (text: string): string => plainText(/^# +(.*)$/m.exec(text)?.[1] ?? '');

/** Replaces the link targets for which `replace` returns a different one. */
export function replaceLinks(text: string, replace: (target: string) => string): string {
  let result = '';
  let end = 0;
  for (const { target, at } of linksIn(text)) {
    result += text.slice(end, at) + replace(target);
    end = at + target.length;
  }
  return result + text.slice(end);
}

const plainText = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
