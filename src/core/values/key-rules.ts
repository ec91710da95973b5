// Names under which secrets are kept: the whole value of such a key goes, whatever it looks like. Names are compared
// without case and punctuation, so that `DB_PASSWORD`, `dbPassword` and `user%5Bpassword%5D` are one.

export interface KeyRule {
  readonly name: string;
  /** Tested against the key in lower-case letters and digits alone. */
  readonly pattern: RegExp;
}

/** Keys whose whole value goes; the first that matches names the marker. */
export const KEY_RULES: readonly KeyRule[] = [
  {
    name: 'password',
    pattern: /(?:password|passwd|passphrase|passcode|passwort|pwd)\d?$|^(?:pass|dbpass|userpass|mysqlpwd)$/,
  },
  {
    name: 'token',
    // Tokens of paging, progress and language models are no secrets, and what is left of a session hangs on them.
    pattern:
      /(?<!page|next|previous|prev|continuation|continue|sync|progress|cursor|cancellation|cancel|max|min|stop|start|begin|end|eos|bos|pad|unk|first|last|per|sort|resume|unexpected|expected|invalid|design|syntax|input|output)token$|^(?:bearer|jwt|xoxp|pat)$/,
  },
  {
    name: 'secret',
    pattern:
      /secrets?(?:key|value|text|string)?$|credentials?$|^(?:sig|signature|sas|xamzsignature)$|(?:connectionstring|clientassertion|seedphrase|mnemonic|recoverycodes?|sharedaccesssignature)$/,
  },
  {
    name: 'key',
    pattern:
      /(?:api|access|private|encryption|signing|auth|account|license|ssh|master|service|shared|webhook|app|client|subscription|functions)key(?:id|pem|pkcs8|base64|b64|value)?$|^dsn$/,
  },
  {
    name: 'authorization',
    pattern:
      /authorization(?:header)?$|cookies?$|^(?:php|j|asp|aspnet)?sess(?:ion)?id$|^connectsid$|^xamzsecuritytoken$/,
  },
  {
    name: 'personal',
    pattern:
      /^(?:ssn|socialsecuritynumber|cvv2?|cvc2?|cardsecuritycode|otp|totp|mfacode|verificationcode|pin|pincode|iban|cardnumber|creditcard(?:number)?|passportnumber)$/,
  },
];

/** What every name above has in it: most keys of most values are let go by this one look. */
const SENSITIVE_KEY_PART =
  /pass|pwd|token|secret|cred|sig|sas|bearer|jwt|xoxp|pat|conn|assertion|seed|mnemonic|recovery|key|dsn|auth|cookie|sess|ssn|social|cv[vc]|code|otp|pin|iban|card/i;

/** Longer ones are texts that stand in a key's place. */
const MAX_KEY_LENGTH = 128;

/** The rule that a key falls under, if any. */
export function findKeyRule(key: string): string | undefined {
  if (key.length > MAX_KEY_LENGTH || !SENSITIVE_KEY_PART.test(key)) return undefined;
  const plain = key.toLowerCase().replace(/%[0-9a-f]{2}|[^a-z0-9]/g, '');
  return KEY_RULES.find(({ pattern }) => pattern.test(plain))?.name;
}

/**
 * Whether what stands under such a key is worth hiding: nothing at all and booleans are not, and `pass: 12` is a count
 * of tests.
 */
export function needsRedaction(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return false;
  return !(/^pass$/i.test(key) && /^\d{1,6}$/.test(String(value)));
}
