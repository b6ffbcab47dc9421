import { createHash } from 'node:crypto';
import { SHARED_FILES } from '#serve/http/pages/page-files.ts';
import { PAGE_FILES } from '../../pages/routes.ts';
import { importMapOf, moduleName } from './inline-modules.ts';

/** The script of a report. */
const REPORT_SCRIPT = 'experiments/report.js';
const STYLES = ['tokens.css', 'style.css', 'components.css', 'charts.css'] as const;

/**
 * An experiment's report as one HTML file, which contains all data, styles and code and is not allowed to
 * load anything else.
 */
export function reportHtml(title: string, data: unknown): string {
  const styles = [...STYLES.map(SHARED_FILES.read), PAGE_FILES.read('experiments/experiments.css')].join(
    '\n',
  );
  const map = importMapOf(REPORT_SCRIPT, readModule);
  const start = `import ${JSON.stringify(moduleName(REPORT_SCRIPT))};`;
  const policy = [
    "default-src 'none'",
    `script-src data: ${hashOf(map)} ${hashOf(start)}`,
    `style-src ${hashOf(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="color-scheme" content="light dark" />',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${styles}</style>`,
    `<script type="importmap">${map}</script>`,
    `<script type="application/json" id="report-data">${scriptJson(data)}</script>`,
    `<script type="module">${start}</script>`,
    '</head>',
    '<body><noscript><p>This report needs JavaScript.</p></noscript></body>',
    '</html>',
    '',
  ].join('\n');
}

const readModule = (path: string): string | undefined =>
  [SHARED_FILES, PAGE_FILES].find((files) => files.names().includes(path))?.read(path);

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** JSON that cannot terminate the script element that contains it, regardless of its texts. */
const scriptJson = (data: unknown): string => JSON.stringify(data).replaceAll('<', String.raw`\u003c`);

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
