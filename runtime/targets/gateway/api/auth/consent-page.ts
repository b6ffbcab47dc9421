import type { Context } from 'hono';
import { html } from 'hono/html';
import { type AskedConsent, commandAddress } from '../../accounts/sign-in/sign-in-flow.ts';
import { commandCode } from '../../accounts/sign-in/command-code.ts';

export const CONSENT_PATH = '/auth/consent';

/**
 * The page that asks whether a waiting command gets a key. Without it, a link would be enough to sign in a program of another person: a
 * browser that is signed in at the provider asks nothing.
 */
export function consentPage(c: Context, asked: AskedConsent, role: string): Response | Promise<Response> {
  const { userId, port } = asked;
  c.header(
    'Content-Security-Policy',
    // Browsers check the address of the command, too, because the answer to the form redirects there.
    `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${commandAddress(port).origin}; base-uri 'none'; frame-ancestors 'none'`,
  );
  // With `no-referrer`, the form would be sent with the origin `null`.
  c.header('Referrer-Policy', 'same-origin');
  const program = `A program on this computer asks to sign in as ${userId}`;
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>Sign in a program · Gateway</title>
          <link rel="icon" href="../assets/icon.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="../assets/tokens.css" />
          <link rel="stylesheet" href="../assets/style.css" />
        </head>
        <body>
          <header class="top">
            <div>
              <h1>Sign in a program</h1>
              <p>Gateway</p>
            </div>
          </header>
          <main>
            <p><strong>${program}</strong> (role ${role}).</p>
            <p>Compare the code with the one that <code>gateway login</code> shows in your terminal:</p>
            <p><code>${commandCode(asked)}</code></p>
            <p>
              The program gets a key that manages the gateway in your name. If you have not started
              <code>gateway login</code>, another person has sent you here: refuse.
            </p>
            <form method="post" action="consent?answer=yes">
              <button type="submit">Sign in the program</button>
            </form>
            <form method="post" action="consent?answer=no"><button type="submit">Refuse</button></form>
          </main>
        </body>
      </html>`,
  );
}
