// The one table of what is taken out of captured values and messages. Every rule carries an example that it must catch
// and a neighbour that it must leave alone. Patterns are linear: no nested repetition, every repetition bounded.

export interface TextRule {
  readonly name: string;
  /** Global; `$1` and `$2`, where there are groups, are kept before and after the marker. */
  readonly pattern: RegExp;
  /** A last look at a match: false leaves it alone. */
  readonly confirms?: (match: string) => boolean;
  readonly example: string;
  readonly harmless: string;
}

export interface KeyRule {
  readonly name: string;
  /** Tested against the key in lower case without `_`, `-`, `.` and blanks. */
  readonly pattern: RegExp;
  readonly examples: readonly string[];
  readonly harmless: readonly string[];
}

/** Keys whose whole value goes, whatever it looks like. */
export const KEY_RULES: readonly KeyRule[] = [
  {
    name: 'password',
    pattern: /(?:password|passwd|passphrase|passcode)$|^(?:pwd|pass)$/,
    examples: ['password', 'DB_PASSWORD', 'userPasswd', 'passphrase'],
    harmless: ['passed', 'passwordPolicyUrl', 'compass'],
  },
  {
    name: 'token',
    pattern:
      /^(?:token|bearer)$|(?:access|auth|refresh|id|session|api|bot|csrf|xsrf|bearer|secret|security|user|personal|github|gitlab|slack|jwt)token$/,
    examples: ['token', 'accessToken', 'refresh_token', 'X-Auth-Token'],
    harmless: ['maxTokens', 'nextPageToken', 'token_count', 'progressToken'],
  },
  {
    name: 'secret',
    pattern: /secret(?:s|key|value)?$|^(?:credentials?|signature)$|credentials?$/,
    examples: ['client_secret', 'secret', 'awsSecretKey', 'credentials'],
    harmless: ['secretary', 'isSecretive'],
  },
  {
    name: 'key',
    pattern: /(?:api|access|private|encryption|signing|auth|account|license|ssh|master|service)key(?:id)?$/,
    examples: ['apiKey', 'X-API-Key', 'private_key', 'AWS_ACCESS_KEY_ID'],
    harmless: ['key', 'keyboard', 'primaryKey', 'sortKey'],
  },
  {
    name: 'authorization',
    pattern: /^(?:proxy)?authorization$|^(?:set)?cookies?$|^sessionid$/,
    examples: ['Authorization', 'Set-Cookie', 'proxy-authorization'],
    harmless: ['authorizationUrl', 'cookiePolicy'],
  },
  {
    name: 'personal',
    pattern: /^(?:ssn|socialsecuritynumber|cvv|cvc|otp|pin|pincode|iban|cardnumber|creditcard(?:number)?)$/,
    examples: ['ssn', 'cvv', 'cardNumber', 'otp'],
    harmless: ['pinned', 'passport_country'],
  },
];

/** Parts of texts that go, in this order: the longer and more certain first. */
export const TEXT_RULES: readonly TextRule[] = [
  {
    name: 'pem',
    pattern:
      /-----BEGIN [A-Z0-9 ]{1,40}-----(?:(?!-----(?:BEGIN|END) )[\s\S]){0,20000}(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
    example: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----',
    harmless: '----- BEGINNING -----',
  },
  {
    name: 'url_credentials',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'@]{0,200}:[^\s/?#"'@]{1,200}(@)/gi,
    example: 'postgres://app:hunter2@db.internal:5432/app',
    harmless: 'http://localhost:4318/v1/traces',
  },
  {
    name: 'jwt',
    pattern: /\beyJ[\w-]{5,2000}\.[\w-]{5,4000}(?:\.[\w-]{0,2000})?/g,
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
    harmless: 'eyJ is how they begin',
  },
  {
    name: 'authorization',
    pattern: /\b((?:bearer|basic)\s{1,4})[\w.~+/=-]{8,4000}/gi,
    example: 'Authorization: Bearer abcdef1234567890',
    harmless: 'a basic idea',
  },
  {
    name: 'provider_key',
    pattern:
      /\b(?:sk-[\w-]{16,200}|(?:sk|pk|rk)_(?:live|test)_\w{10,200}|gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,100}|xox[abeoprs]-[\w-]{10,200}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,60}|ya29\.[\w-]{20,400}|npm_\w{30,60}|hf_\w{20,60}|SG\.[\w-]{16,40}\.[\w-]{16,80}|dop_v1_\w{40,80}|pypi-[\w-]{40,400})/g,
    example: 'the key is sk-proj-AAAABBBBCCCCDDDDEEEE1111',
    harmless: 'task-manager sk-1',
  },
  {
    name: 'assignment',
    pattern:
      /((?:password|passwd|pwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?:access|auth|refresh|session|bearer)[_-]?token|token|client[_-]?secret)\\?["']?\s{0,4}[:=]\s{0,4})(?!\[redacted)(?:\\?"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"',;&)}\]]{1,500})/gi,
    example: 'login failed for password=hunter2',
    harmless: 'the password must have eight characters',
  },
  {
    name: 'email',
    pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi,
    example: 'write to ada.lovelace@example.org now',
    harmless: '@modelcontextprotocol/sdk and user@localhost',
  },
  {
    name: 'card',
    pattern: /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g,
    confirms: isCardNumber,
    example: 'paid with 4111 1111 1111 1111 today',
    harmless: 'order 4111 1111 1111 1112',
  },
];

/** Whether the digits of a text pass the Luhn check and begin as cards do. */
function isCardNumber(text: string): boolean {
  const digits = [...text].filter((sign) => sign >= '0' && sign <= '9').map(Number);
  if (![2, 3, 4, 5, 6].includes(digits[0] ?? 0)) return false;
  const sum = digits.reverse().reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
