// Secrets that only the name before them gives away, in any text: `password=…`, `"client_secret": "…"`, query strings,
// form bodies, `--token …`. Read key by key rather than by one pattern, because a harmless key's value may hold another
// pair (`note="password=hunter2"`), and because the names are the same as those of objects.
import { isWorthHiding, ruleOfKey } from './key-rules.ts';
import { marker, type TextRule } from './text-rule.ts';

/**
 * A name and what stands between it and its value: a flag may have a blank there or the comma of a list, and a pair of a
 * list of headers names its value apart.
 */
const KEY =
  /(?:(?<![\w.%[\]-])|(?<=\\[nrtbf]|\\u[0-9a-f]{4}|%[0-9a-f]{2}))(?:(--[\w-]{2,60})(?:\s{1,3}|=|\\{0,15}["'],\s{0,4})|(?:name|key|header)\\{0,15}["']\s{0,4}:\s{0,4}\\{0,15}["']([\w.-]{2,64})\\{0,15}["'],\s{0,4}\\{0,15}["']value\\{0,15}["']\s{0,4}:\s{0,4}|([\w.%[\]-]{2,64})\\{0,15}["']?\s{0,4}(?:=>|:=|=|:|%3[ad])\s{0,4})/gi;

/** A quoted value may be cut before its closing quote; an object or a list goes whole. */
const VALUE =
  /\\{1,15}["'](?:(?!\\{1,15}["'])[^\n]){1,2000}(?:\\{1,15}["'])?|"(?:[^"\\\n]|\\.){1,2000}"?|'(?:[^'\\\n]|\\.){1,2000}'?|\{[^{}]{2,2000}\}?|\[[^[\]]{2,2000}\]?|[^\s"'`,;&)}\]\\]{1,2000}/y;

/** What validators and help texts say where a value would stand. */
const NO_VALUE =
  /^(?:expected|required|must|invalid|missing|cannot|should|is|was|not|no|none|null|nil|undefined|true|false|string|number|integer|boolean|object|array|unknown|too|unrecognized|the|a|an|see|<[^>]{0,60}>?|\$\{?\w{1,60}\}?|\{\{?[\w. ]{0,60}\}{0,2}|\*+|x{3,}|\.{3}|…|[[{(])$/i;

/** Worth seeing; what stands behind it has a rule of its own. */
const SCHEME = /^(?:bearer|basic|digest|token|negotiate|bot|apikey)$/i;

/** Replaces the values of telling keys by `[redacted:rule]`. */
function redactAssignments(text: string): string {
  let redacted = '';
  let at = 0;
  KEY.lastIndex = 0;
  for (let key = KEY.exec(text); key !== null; key = KEY.exec(text)) {
    const name = key[1] ?? key[2] ?? key[3] ?? '';
    const rule = ruleOfKey(name) ?? ruleBehindEscape(text, key);
    if (rule === undefined) continue;
    VALUE.lastIndex = KEY.lastIndex;
    const value = VALUE.exec(text)?.[0];
    if (value === undefined || !isSecret(name, value)) continue;
    if (rule === 'authorization' && SCHEME.test(value)) continue;
    redacted += text.slice(at, KEY.lastIndex) + marker(rule);
    at = KEY.lastIndex + value.length;
    KEY.lastIndex = at;
  }
  return redacted + text.slice(at);
}

/** In a text that is part of JSON, an `n` that ends `\n` stands before the name. */
function ruleBehindEscape(text: string, { index, 3: name = '' }: RegExpExecArray): string | undefined {
  if (text[index - 1] !== '\\') return undefined;
  const rest = name.replace(/^(?:u[0-9a-f]{4}|[nrtbf])/i, '');
  return rest === name ? undefined : ruleOfKey(rest);
}

function isSecret(name: string, value: string): boolean {
  const bare = value.replace(/^\\{0,15}["']|\\{0,15}["']$/g, '');
  return bare !== '' && !bare.startsWith('[redacted:') && !NO_VALUE.test(bare) && isWorthHiding(name, bare);
}

export const ASSIGNMENT_RULE: TextRule = {
  name: 'assignment',
  kind: 'assignment',
  hints: ['=', ':', '--', '%3'],
  apply: redactAssignments,
};
