/** Removes control characters except line breaks and tabs, so that a text of others cannot control a terminal. */
export const withoutControls = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
