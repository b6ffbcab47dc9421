import { greatest } from '#core/numbers/extremes.ts';

const RULE = '='.repeat(80);

/** Formats the notices as one text: a list of all software, followed by each license text once. */
export function formatNotices(notices: readonly Notice[]): string {
  const width = greatest(notices.map((notice) => titleOf(notice).length));
  const list = notices.map((notice) => `  ${titleOf(notice).padEnd(width)}  ${notice.license}`);
  const printed = new Map<string, string>();
  const sections = notices.map((notice) => {
    const texts = notice.texts.map(({ source, text }) => {
      const first = printed.get(text);
      if (first !== undefined) return `${source}: same text as ${first}`;
      printed.set(text, titleOf(notice));
      return `${source}:\n\n${text}`;
    });
    return [RULE, `${titleOf(notice)} (${notice.license})`, ...texts].join('\n\n');
  });
  return `This program contains:\n\n${list.join('\n')}\n\n${sections.join('\n\n')}\n`;
}

const titleOf = ({ name, version }: Notice): string => `${name} ${version}`;

/** Notice for one piece of software in an executable. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** License as an SPDX expression. */
  readonly license: string;
  readonly texts: readonly NoticeText[];
}

export interface NoticeText {
  /** Name of the file that contains the license text. */
  readonly source: string;
  readonly text: string;
}
