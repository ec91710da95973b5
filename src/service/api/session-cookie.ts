// The cookie that a login gives: until when it holds, a random name, and a code over both keyed with the token. It is
// neither the token nor derived from it alone, it ends by itself, and a new token ends all of them. A logout is kept
// in memory: the cookie that a browser was told to forget would open the service again only after a restart.

import { createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import { isSameText } from './same-text.ts';

const COOKIE = 'toolscope_session';
const SECONDS = 7 * 86_400;
/** Logouts that are remembered; nobody logs out that often within a week. */
const MOST_ENDED = 10_000;
const FORM = /^(\d{10,12})\.[\w-]{22}\.[\w-]{43}$/;

export class SessionCookies {
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #ended = new Set<string>();

  /** @param now epoch milliseconds */
  constructor(token: string, now: () => number) {
    this.#key = createHmac('sha256', token).update('toolscope session cookie').digest();
    this.#now = now;
  }

  /** @returns a header `Set-Cookie` that opens the service for a week */
  issue(req: Request): string {
    const expiresAt = Math.floor(this.#now() / 1_000) + SECONDS;
    const head = `${expiresAt}.${randomBytes(16).toString('base64url')}`;
    return formatCookie(req, { value: `${head}.${this.#sign(head)}`, seconds: SECONDS });
  }

  isValid(req: Request): boolean {
    const value = cookieOf(req);
    const expiresAt = Number(FORM.exec(value)?.[1] ?? 0);
    const dot = value.lastIndexOf('.');
    const isOurs = isSameText(value.slice(dot + 1), this.#sign(value.slice(0, Math.max(0, dot))));
    return isOurs && expiresAt * 1_000 > this.#now() && !this.#ended.has(value);
  }

  /** @returns a header `Set-Cookie` that makes the browser forget; the value opens nothing any more */
  end(req: Request): string {
    const [oldest] = this.#ended;
    if (this.#ended.size >= MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    if (this.isValid(req)) this.#ended.add(cookieOf(req));
    return formatCookie(req, { value: '', seconds: 0 });
  }

  #sign(head: string): string {
    return createHmac('sha256', this.#key).update(head).digest('base64url');
  }
}

interface Cookie {
  readonly value: string;
  readonly seconds: number;
}

/**
 * `Secure` only where a proxy says that it took TLS off: a browser would drop such a cookie on a plain network, and
 * whoever lies about the proxy harms nobody but their own browser.
 */
function formatCookie(req: Request, { value, seconds }: Cookie): string {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  const proto = String(req.headers['x-forwarded-proto'] ?? '')
    .split(',', 1)[0]
    ?.trim();
  return `${COOKIE}=${value}; ${attributes}${proto === 'https' ? '; Secure' : ''}`;
}

function cookieOf(req: Request): string {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}
