// Secrets that only the name before them gives away, in any text: `password=…`, `"client_secret": "…"`, query strings,
// form bodies, `--token …`. Read key by key rather than by one pattern, because a harmless key's value may hold another
// pair (`note="password=hunter2"`), and because the names are the same as those of objects.
import { findKeyRule, needsRedaction } from './key-rules.ts';
import { type RedactionRule, toRedactionMarker } from './redaction-rule.ts';

/**
 * A name and what stands between it and its value: a flag may have a blank there or the comma of a list, and a pair of a
 * list of headers names its value apart.
 */
const ASSIGNED_KEY =
  /(?:(?<![\w.%[\]-])|(?<=\\[nrtbf]|\\u[0-9a-f]{4}|%[0-9a-f]{2}))(?:(--[\w-]{2,60})(?:\s{1,3}|=|\\{0,15}["'],\s{0,4})|(?:name|key|header)\\{0,15}["']\s{0,4}:\s{0,4}\\{0,15}["']([\w.-]{2,64})\\{0,15}["'],\s{0,4}\\{0,15}["']value\\{0,15}["']\s{0,4}:\s{0,4}|([\w.%[\]-]{2,64})\\{0,15}["']?\s{0,4}(?:=>|:=|=|:|%3[ad])\s{0,4})/gi;

/** A quoted value may be cut before its closing quote; an object or a list goes whole. */
const ASSIGNED_VALUE =
  /\\{1,15}["'](?:(?!\\{1,15}["'])[^\n]){1,2000}(?:\\{1,15}["'])?|"(?:[^"\\\n]|\\.){1,2000}"?|'(?:[^'\\\n]|\\.){1,2000}'?|\{[^{}]{2,2000}\}?|\[[^[\]]{2,2000}\]?|[^\s"'`,;&)}\]\\]{1,2000}/y;

/** What validators and help texts say where a value would stand. */
const PLACEHOLDER_VALUE =
  /^(?:expected|required|must|invalid|missing|cannot|should|is|was|not|no|none|null|nil|undefined|true|false|string|number|integer|boolean|object|array|unknown|too|unrecognized|the|a|an|see|<[^>]{0,60}>?|\$\{?\w{1,60}\}?|\{\{?[\w. ]{0,60}\}{0,2}|\*+|x{3,}|\.{3}|…|[[{(])$/i;

/** Worth seeing; what stands behind it has a rule of its own. */
const AUTH_SCHEME = /^(?:bearer|basic|digest|token|negotiate|bot|apikey)$/i;

/** Replaces the values of telling keys by `[redacted:rule]`. */
function redactAssignments(text: string): string {
  let redacted = '';
  let at = 0;
  ASSIGNED_KEY.lastIndex = 0;
  for (let key = ASSIGNED_KEY.exec(text); key !== null; key = ASSIGNED_KEY.exec(text)) {
    const name = key[1] ?? key[2] ?? key[3] ?? '';
    const rule = findKeyRule(name) ?? findRuleAfterEscape(text, key);
    if (rule === undefined) continue;
    ASSIGNED_VALUE.lastIndex = ASSIGNED_KEY.lastIndex;
    const value = ASSIGNED_VALUE.exec(text)?.[0];
    if (value === undefined || !isSecret(name, value)) continue;
    if (rule === 'authorization' && AUTH_SCHEME.test(value)) continue;
    redacted += text.slice(at, ASSIGNED_KEY.lastIndex) + toRedactionMarker(rule);
    at = ASSIGNED_KEY.lastIndex + value.length;
    ASSIGNED_KEY.lastIndex = at;
  }
  return redacted + text.slice(at);
}

/** In a text that is part of JSON, an `n` that ends `\n` stands before the name. */
function findRuleAfterEscape(text: string, { index, 3: name = '' }: RegExpExecArray): string | undefined {
  if (text[index - 1] !== '\\') return undefined;
  const rest = name.replace(/^(?:u[0-9a-f]{4}|[nrtbf])/i, '');
  return rest === name ? undefined : findKeyRule(rest);
}

function isSecret(name: string, value: string): boolean {
  const bare = value.replace(/^\\{0,15}["']|\\{0,15}["']$/g, '');
  return (
    bare !== '' &&
    !bare.startsWith('[redacted:') &&
    !PLACEHOLDER_VALUE.test(bare) &&
    needsRedaction(name, bare)
  );
}

export const ASSIGNMENT_RULE: RedactionRule = {
  name: 'assignment',
  kind: 'assignment',
  hints: ['=', ':', '--', '%3'],
  apply: redactAssignments,
};
